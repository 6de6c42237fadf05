// SPDX-License-Identifier: MIT
// Round B of Wang et al., Solar Energy 195 (2020) 461-474: one heliostat off its axis.
#include "app/validation/measure.h"
#include "app/validation/published_field.h"
#include "app/validation/validate.h"

#include <fmt/format.h>

namespace helioray::validation {

namespace {

struct Place {
    const char* title;
    Vec3 position;  ///< metres, ENU
};

constexpr Place kPlaces[] = {
    {"46.5 m north", {0.0, 46.5, 0.0}},
    {"536.9 m north", {0.0, 536.9, 0.0}},
    {"537 m north-west", {-324.3, 427.9, 0.0}},
    {"279 m east", {252.5, 118.1, 0.0}},
};

/// Powers in kW, by hour and place. Pillbox sun: means of the tools. Buie sun: Solstice for its
/// calibration; an independent scalar ray tracer for Tracer's calibration, for which no figures are
/// published.
struct RoundB {
    bool morning;
    size_t place;
    double incident;
    double pillbox;
    double solstice;
    double independent_tracer;
};

/// A published result for Buie's sun.
struct Reference {
    const char* suffix;  ///< end of the case's id
    const char* sun;
    BuieCalibration calibration;
    double RoundB::*absorbed;
    const char* source;
};

constexpr Reference kReferences[] = {
    {"-S", "Buie sun, Tonatiuh's x", BuieCalibration::tonatiuh, &RoundB::solstice, kSolstice},
    {"-T",
     "Buie sun, Tracer's x",
     BuieCalibration::tracer,
     &RoundB::independent_tracer,
     "independent ray tracer"},
};

constexpr RoundB kRoundB[] = {
    {false, 0, 97.6634, 97.6562, 97.4285, 97.4080},
    {false, 1, 81.2009, 56.7504, 56.5685, 56.470},
    {false, 2, 79.8987, 50.8890, 50.8626, 50.776},
    {false, 3, 80.5720, 62.5113, 62.2228, 62.145},
    {true, 0, 76.3400, 76.0692, 75.8467, 75.825},
    {true, 1, 64.0340, 45.4483, 45.3615, 45.277},
    {true, 2, 83.8150, 53.3027, 53.2847, 53.189},
    {true, 3, 31.0720, 11.5139, 11.4209, 11.411},
};

RunResult trace(const RoundB& round_case, const SunShape& sun, Study& study) {
    return study.trace(published_scene({kPlaces[round_case.place].position},
                                       round_case.morning ? published_morning() : published_noon(),
                                       sun));
}

void compare_absorbed(const RunResult& result, double absorbed, const char* source, Study& study) {
    const Estimate power = power_kw(result.targets.front());
    study.compare("absorbed power",
                  "kW",
                  absorbed,
                  source,
                  power.value,
                  power.std_error,
                  published_tolerance(study.effort()) * absorbed);
}

void run_pillbox(const RoundB& round_case, Study& study) {
    const RunResult result = trace(round_case, PillboxShape{4.65 * kMrad}, study);
    const EnergyTerms& energy = result.heliostats.front().energy;
    study.compare("incident power",
                  "kW",
                  round_case.incident,
                  kMean,
                  1e-3 * (energy.solar_power - energy.cosine_loss),
                  0.0,
                  published_tolerance(study.effort()) * round_case.incident);
    compare_absorbed(result, round_case.pillbox, kMean, study);
}

}  // namespace

std::vector<Case> round_b_cases() {
    std::vector<Case> cases;
    const auto id = [](const RoundB& round_case, int round) {
        return fmt::format("B{}.{}.{}", round, round_case.morning ? 2 : 1, round_case.place + 1);
    };
    const auto title = [](const RoundB& round_case, const char* sun) {
        return fmt::format("{}, {}, {}",
                           round_case.morning ? "morning" : "noon",
                           kPlaces[round_case.place].title,
                           sun);
    };
    for (const RoundB& round_case : kRoundB) {
        cases.push_back({id(round_case, 1),
                         title(round_case, "pillbox sun"),
                         [&round_case](Study& study) { run_pillbox(round_case, study); }});
    }
    for (const RoundB& round_case : kRoundB) {
        for (const Reference& reference : kReferences)
            cases.push_back({id(round_case, 2) + reference.suffix,
                             title(round_case, reference.sun),
                             [&round_case, &reference](Study& study) {
                                 const SunShape sun = BuieShape{0.02, reference.calibration};
                                 compare_absorbed(trace(round_case, sun, study),
                                                  round_case.*reference.absorbed,
                                                  reference.source,
                                                  study);
                             }});
    }
    return cases;
}

}  // namespace helioray::validation
