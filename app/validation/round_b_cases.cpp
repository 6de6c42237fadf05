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

/// kW, by hour and place. Pillbox sun: means of the tools. Buie sun: Solstice for its calibration;
/// for Tracer's, of which no figures are published, an independent scalar ray tracer.
struct RoundB {
    bool morning;
    size_t place;
    double incident;
    double pillbox;
    double solstice;
    double independent_tracer;
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

constexpr const char* kMean = "Wang 2020, mean of tools";

RunResult trace(const RoundB& one, const SunShape& sun, Study& study) {
    return study.trace(published_scene(
        {kPlaces[one.place].position}, one.morning ? published_morning() : published_noon(), sun));
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

void run_pillbox(const RoundB& one, Study& study) {
    const RunResult result = trace(one, PillboxShape{4.65 * kMrad}, study);
    const EnergyTerms& energy = result.heliostats.front().energy;
    study.compare("incident power",
                  "kW",
                  one.incident,
                  kMean,
                  1e-3 * (energy.solar_power - energy.cosine_loss),
                  0.0,
                  published_tolerance(study.effort()) * one.incident);
    compare_absorbed(result, one.pillbox, kMean, study);
}

}  // namespace

std::vector<Case> round_b_cases() {
    std::vector<Case> cases;
    const auto id = [](const RoundB& one, int round) {
        return fmt::format("B{}.{}.{}", round, one.morning ? 2 : 1, one.place + 1);
    };
    const auto title = [](const RoundB& one, const char* sun) {
        return fmt::format(
            "{}, {}, {}", one.morning ? "morning" : "noon", kPlaces[one.place].title, sun);
    };
    for (const RoundB& one : kRoundB) {
        cases.push_back({id(one, 1), title(one, "pillbox sun"), [&one](Study& study) {
                             run_pillbox(one, study);
                         }});
    }
    for (const RoundB& one : kRoundB) {
        cases.push_back(
            {id(one, 2) + "-S", title(one, "Buie sun, Tonatiuh's x"), [&one](Study& study) {
                 const SunShape sun = BuieShape{0.02, BuieCalibration::tonatiuh};
                 compare_absorbed(
                     trace(one, sun, study), one.solstice, "Wang 2020, Solstice", study);
             }});
        cases.push_back(
            {id(one, 2) + "-T", title(one, "Buie sun, Tracer's x"), [&one](Study& study) {
                 const SunShape sun = BuieShape{0.02, BuieCalibration::tracer};
                 compare_absorbed(trace(one, sun, study),
                                  one.independent_tracer,
                                  "independent ray tracer",
                                  study);
             }});
    }
    return cases;
}

}  // namespace helioray::validation
