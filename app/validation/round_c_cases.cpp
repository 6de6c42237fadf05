// SPDX-License-Identifier: MIT
// Round C of Wang et al., Solar Energy 195 (2020) 461-474: the whole field, shading and blocking.
#include "app/output/summary/summary.h"
#include "app/validation/measure.h"
#include "app/validation/published_field.h"
#include "app/validation/validate.h"

#include <array>

namespace helioray::validation {

namespace {

/// A published figure, kW.
struct Figure {
    double value;
    const char* source;
};

constexpr const char* kIndependent = "independent ray tracer";

/// The published tools differ by a sixth in the morning's blocking, because they define "blocked"
/// and "spilled" differently; the reference is an independent ray tracer with our definition.
/// Buie's sun is compared with a tool of the same calibration, and with the independent ray tracer.
struct RoundC {
    const char* id;
    const char* title;
    bool morning;
    SunShape sun;
    Figure shading_and_cosine;
    Figure blocking;
    std::array<Figure, 2> absorbed;
};

SunShape buie(BuieCalibration calibration) {
    return BuieShape{0.02, calibration};
}

const RoundC kRoundC[] = {
    {"C1.1",
     "522 heliostats, noon, pillbox sun",
     false,
     PillboxShape{4.65 * kMrad},
     {8229.3, kMean},
     {563.8, kMean},
     {{{32857.1, kMean}, {32851.6, kIndependent}}}},
    {"C1.2",
     "522 heliostats, morning, pillbox sun",
     true,
     PillboxShape{4.65 * kMrad},
     {19709.6, kMean},
     {380.1, kIndependent},
     {{{22894.3, kMean}, {22888.5, kIndependent}}}},
    {"C2.1-S",
     "522 heliostats, noon, Buie sun, Tonatiuh's x",
     false,
     buie(BuieCalibration::tonatiuh),
     {8231.8, kSolstice},
     {566.4, kSolstice},
     {{{32658.5, kSolstice}, {32648.7, kIndependent}}}},
    {"C2.2-S",
     "522 heliostats, morning, Buie sun, Tonatiuh's x",
     true,
     buie(BuieCalibration::tonatiuh),
     {19724.1, kSolstice},
     {382.3, kIndependent},
     {{{22774.3, kSolstice}, {22755.9, kIndependent}}}},
    {"C2.1-T",
     "522 heliostats, noon, Buie sun, Tracer's x",
     false,
     buie(BuieCalibration::tracer),
     {8238.1, kTracer},
     {566.6, kTracer},
     {{{32622.2, kTracer}, {32615.2, kIndependent}}}},
    {"C2.2-T",
     "522 heliostats, morning, Buie sun, Tracer's x",
     true,
     buie(BuieCalibration::tracer),
     {19723.2, kTracer},
     {383.1, kIndependent},
     {{{22735.3, kTracer}, {22732.6, kIndependent}}}},
};

constexpr double kReflectivity = 0.95;
/// Absorptivity of the receiver; HelioRay's power is the incident one.
constexpr double kAbsorptivity = 0.90;
constexpr double kShadingTolerance = 0.0015;
constexpr double kBlockingTolerance = 0.03;

void run(const RoundC& round_case, Study& study) {
    Scene scene = published_scene(published_positions(),
                                  round_case.morning ? published_morning() : published_noon(),
                                  round_case.sun);
    scene.config.optics.reflectivity = kReflectivity;
    scene.config.tracing.shading = true;
    scene.config.tracing.blocking = true;
    const RunResult result = study.trace(scene);
    const EnergyTerms energy = total_energy(result);

    const auto row = [&](const char* quantity,
                         const Figure& figure,
                         double watts,
                         double error,
                         double tolerance) {
        study.compare(quantity,
                      "kW",
                      figure.value,
                      figure.source,
                      1e-3 * watts,
                      error,
                      tolerance * figure.value);
    };
    row("shading and cosine losses",
        round_case.shading_and_cosine,
        energy.shading_loss + energy.cosine_loss,
        0.0,
        kShadingTolerance);
    row("blocking loss", round_case.blocking, energy.blocking_loss, 0.0, kBlockingTolerance);
    const double error = kAbsorptivity * power_kw(result.targets.front()).std_error;
    for (const Figure& figure : round_case.absorbed) {
        row("absorbed power",
            figure,
            kAbsorptivity * energy.target_power,
            error,
            published_tolerance(study.effort()));
    }
}

}  // namespace

std::vector<Case> round_c_cases() {
    std::vector<Case> cases;
    for (const RoundC& round_case : kRoundC)
        cases.push_back({round_case.id,
                         round_case.title,
                         [&round_case](Study& study) { run(round_case, study); },
                         true});
    return cases;
}

}  // namespace helioray::validation
