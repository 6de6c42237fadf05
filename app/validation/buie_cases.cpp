// SPDX-License-Identifier: MIT
// Buie's sun: realised circumsolar ratios of three calibrations, and the resulting spillage.
#include "app/validation/measure.h"
#include "app/validation/validate.h"
#include "scenario/sun/buie.h"

#include <fmt/format.h>

#include <optional>

namespace helioray::validation {

namespace {

using enum BuieCalibration;

/// The circumsolar ratios realised for a requested `csr`.
struct Calibrated {
    double csr;
    double uncalibrated;  ///< ratio with x = csr
    double tonatiuh;
    double tracer;
    std::optional<double> exact_x;
};

const Calibrated kCalibrated[] = {
    {0.01, 0.000423, 0.010539, 0.009134, 0.0242896},
    {0.02, 0.005813, 0.019598, 0.021603, 0.0326349},
    {0.03, 0.016661, 0.030339, 0.031796, 0.0401844},
    {0.05, 0.043134, 0.049884, 0.049827, 0.0552660},
    {0.10, 0.100268, 0.100055, 0.099676, 0.0997282},
    {0.20, 0.187142, 0.200263, 0.202027, {}},
    {0.30, 0.274263, 0.299582, 0.301492, {}},
    {0.40, 0.372649, 0.400396, 0.403478, {}},
};

constexpr double kLastDigit = 1e-6;

void compare_ratios(const Calibrated& ratios, Study& study) {
    const auto row = [&](const char* quantity, double reference, double ours) {
        study.compare(quantity, "", reference, "formula of Buie et al.", ours, 0.0, kLastDigit);
    };
    row("realised ratio, x = CSR",
        ratios.uncalibrated,
        buie_realised_csr(buie_parameters_of(ratios.csr)));
    row("realised ratio, Tonatiuh's x",
        ratios.tonatiuh,
        buie_realised_csr(buie_parameters({ratios.csr, tonatiuh})));
    row("realised ratio, Tracer's x",
        ratios.tracer,
        buie_realised_csr(buie_parameters({ratios.csr, tracer})));
    row("realised ratio, exact x",
        ratios.csr,
        buie_realised_csr(buie_parameters({ratios.csr, exact})));
    if (ratios.exact_x) row("exact x", *ratios.exact_x, buie_parameters({ratios.csr, exact}).x);
}

/// Spilled power (kW of 100) and centre flux (kW/m2) of an on-axis mirror, by quadrature.
struct Spilled {
    double csr;
    BuieCalibration calibration;
    double slope;  ///< Gaussian slope error, mrad
    double spilled;
    double centre;
};

constexpr Spilled kSpilled[] = {
    {0.01, tonatiuh, 0, 0.7339, 6.8285},
    {0.02, tonatiuh, 0, 1.3174, 6.7660},
    {0.03, tonatiuh, 0, 1.9784, 6.6918},
    {0.01, tracer, 0, 0.6405, 6.8382},
    {0.02, tracer, 0, 1.4430, 6.7521},
    {0.03, tracer, 0, 2.0660, 6.6818},
    {0.01, exact, 0, 0.6982, 6.8322},
    {0.02, exact, 0, 1.3427, 6.7632},
    {0.03, exact, 0, 1.9580, 6.6942},
    {0.05, exact, 0, 3.1268, 6.5562},
    {0.10, exact, 0, 5.8398, 6.2111},
    {0.02, tonatiuh, 2, 16.5757, 2.9243},
    {0.02, tracer, 2, 16.6870, 2.9192},
    {0.02, exact, 2, 16.5981, 2.9232},
};

constexpr double kTargetDistance = 500.0;  ///< metres from mirror to target

const char* calibration_name(BuieCalibration calibration) {
    return calibration == exact ? "exact" : calibration == tonatiuh ? "Tonatiuh's" : "Tracer's";
}

/// Returns the sun's radiance as seen from the mirror, blurred by the slope error if there is one.
RadialFlux fall_off(const Spilled& spilled_case) {
    const BuieParameters parameters = buie_parameters({spilled_case.csr, spilled_case.calibration});
    const double bright = buie_radiance(parameters, 0.0);
    const auto sun = [=](double r) {
        return buie_radiance(parameters, r / kTargetDistance) / bright;
    };
    if (spilled_case.slope == 0.0) return sun;
    return blurred_flux(sun,
                        kTargetDistance * kBuieAureole,
                        2.0 * spilled_case.slope * kMrad * kTargetDistance,
                        kTable);
}

void compare_spillage(const Spilled& spilled_case, Study& study) {
    ErrorShape slope = NoError{};
    if (spilled_case.slope > 0.0) slope = GaussianShape{spilled_case.slope * kMrad};
    const RunResult result =
        study.trace(on_axis_scene(BuieShape{spilled_case.csr, spilled_case.calibration}, slope));
    const TargetResult& target = result.targets.front();
    const double error = power_kw(target).std_error;
    study.compare("spilled power",
                  "kW",
                  spilled_case.spilled,
                  "quadrature",
                  1e-3 * result.heliostats.front().energy.spillage_loss,
                  error,
                  four_sigma(error, kFiniteMirror, 100.0 - spilled_case.spilled));
    const Estimate centre = centre_flux(target, kDisc, fall_off(spilled_case));
    study.compare("centre flux",
                  "kW/m2",
                  spilled_case.centre,
                  "quadrature",
                  centre.value,
                  centre.std_error,
                  four_sigma(centre.std_error, kFiniteMirror, spilled_case.centre));
}

}  // namespace

std::vector<Case> buie_cases() {
    std::vector<Case> cases;
    int number = 0;
    for (const Calibrated& ratios : kCalibrated) {
        cases.push_back({fmt::format("S1.{}", ++number),
                         fmt::format("Buie sun, CSR {:g}", ratios.csr),
                         [&ratios](Study& study) { compare_ratios(ratios, study); }});
    }
    number = 0;
    for (const Spilled& spilled_case : kSpilled) {
        cases.push_back(
            {fmt::format("S2.{}", ++number),
             fmt::format("Buie sun, CSR {:g}, {} x, {}",
                         spilled_case.csr,
                         calibration_name(spilled_case.calibration),
                         spilled_case.slope > 0.0 ? "slope error 2 mrad" : "no slope error"),
             [&spilled_case](Study& study) { compare_spillage(spilled_case, study); }});
    }
    return cases;
}

}  // namespace helioray::validation
