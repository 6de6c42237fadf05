// SPDX-License-Identifier: MIT
// Round A of Wang et al., Solar Energy 195 (2020) 461-474: one mirror on its axis, six tools.
#include "app/validation/measure.h"
#include "app/validation/published_field.h"
#include "app/validation/validate.h"

namespace helioray::validation {

namespace {

struct RoundA {
    const char* id;
    const char* title;
    SunShape sun;
    ErrorShape slope;
    double absorbed;  ///< kW
    const char* source;
};

SunShape buie(double csr, BuieCalibration calibration) {
    return BuieShape{csr, calibration};
}

/// Tools calibrate Buie's sun differently, so each calibration is compared with the tool that uses
/// it. The absorbed power is 100 kW minus the published spillage.
const RoundA kRoundA[] = {
    {"A1.1.1",
     "collimated, pillbox slope error 1 mrad",
     CollimatedShape{},
     PillboxShape{1 * kMrad},
     100.0,
     kMean},
    {"A1.1.2",
     "collimated, pillbox slope error 2 mrad",
     CollimatedShape{},
     PillboxShape{2 * kMrad},
     100.0,
     kMean},
    {"A1.1.3",
     "collimated, pillbox slope error 3 mrad",
     CollimatedShape{},
     PillboxShape{3 * kMrad},
     100.0,
     kMean},
    {"A1.2.1",
     "collimated, slope error 1 mrad",
     CollimatedShape{},
     GaussianShape{1 * kMrad},
     99.9851,
     kMean},
    {"A1.2.2",
     "collimated, slope error 2 mrad",
     CollimatedShape{},
     GaussianShape{2 * kMrad},
     91.1030,
     kMean},
    {"A1.2.3",
     "collimated, slope error 3 mrad",
     CollimatedShape{},
     GaussianShape{3 * kMrad},
     66.8369,
     kMean},
    {"A2.1", "pillbox sun 4 mrad", PillboxShape{4 * kMrad}, NoError{}, 100.0004, kMean},
    {"A2.2", "Gaussian sun 4 mrad", GaussianShape{4 * kMrad}, NoError{}, 91.1050, kMean},
    {"A2.3.1-S",
     "Buie sun, CSR 0.01, Tonatiuh's x",
     buie(0.01, BuieCalibration::tonatiuh),
     NoError{},
     99.2665,
     kSolstice},
    {"A2.3.1-T",
     "Buie sun, CSR 0.01, Tracer's x",
     buie(0.01, BuieCalibration::tracer),
     NoError{},
     99.3592,
     kTracer},
    {"A2.3.2-S",
     "Buie sun, CSR 0.02, Tonatiuh's x",
     buie(0.02, BuieCalibration::tonatiuh),
     NoError{},
     98.6845,
     kSolstice},
    {"A2.3.2-T",
     "Buie sun, CSR 0.02, Tracer's x",
     buie(0.02, BuieCalibration::tracer),
     NoError{},
     98.5560,
     kTracer},
    {"A2.3.3-S",
     "Buie sun, CSR 0.03, Tonatiuh's x",
     buie(0.03, BuieCalibration::tonatiuh),
     NoError{},
     98.0226,
     kSolstice},
    {"A2.3.3-T",
     "Buie sun, CSR 0.03, Tracer's x",
     buie(0.03, BuieCalibration::tracer),
     NoError{},
     97.9344,
     kTracer},
    {"A3.1",
     "pillbox sun 4.65 mrad, slope error 2 mrad",
     PillboxShape{4.65 * kMrad},
     GaussianShape{2 * kMrad},
     83.9362,
     kMean},
    {"A3.2-S",
     "Buie sun, CSR 0.02, Tonatiuh's x, slope error 2 mrad",
     buie(0.02, BuieCalibration::tonatiuh),
     GaussianShape{2 * kMrad},
     83.422,
     kSolstice},
    {"A3.2-T",
     "Buie sun, CSR 0.02, Tracer's x, slope error 2 mrad",
     buie(0.02, BuieCalibration::tracer),
     GaussianShape{2 * kMrad},
     83.302,
     kTracer},
};

void run(const RoundA& round_case, Study& study) {
    const RunResult result = study.trace(on_axis_scene(round_case.sun, round_case.slope));
    const Estimate power = power_kw(result.targets.front());
    study.compare("absorbed power",
                  "kW",
                  round_case.absorbed,
                  round_case.source,
                  power.value,
                  power.std_error,
                  published_tolerance(study.effort()) * round_case.absorbed);
}

}  // namespace

std::vector<Case> round_a_cases() {
    std::vector<Case> cases;
    for (const RoundA& round_case : kRoundA)
        cases.push_back({round_case.id, round_case.title, [&round_case](Study& study) {
                             run(round_case, study);
                         }});
    return cases;
}

}  // namespace helioray::validation
