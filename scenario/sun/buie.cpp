// SPDX-License-Identifier: MIT
// Buie's radiance, its integrals, and its calibrations to a circumsolar ratio.
#include "scenario/sun/buie.h"

#include "scenario/files/error.h"
#include "scenario/types/quadrature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace helioray {

namespace {

constexpr double kMilliradian = 1e-3;

double disc_radiance(double theta) {
    const double t = theta / kMilliradian;
    return std::cos(0.326 * t) / std::cos(0.308 * t);
}

constexpr int kDiscParts = 32;
constexpr double kDiscPart = kBuieDisc / kDiscParts;

/// Returns the integral over a piece of the disc that is at most one part wide.
double disc_part(double from, double to) {
    return integrate([](double theta) { return disc_radiance(theta) * theta; }, from, to, 1);
}

/// Returns (exp(g y) - 1) / g with its limit y at g = 0, where the aureole decreases as theta^-2.
double relative_power(double g, double y) {
    return std::abs(g) < 1e-9 ? y : std::expm1(g * y) / g;
}

double tonatiuh_polynomial(double c) {
    if (c > 0.145)
        return -0.04419909985804843 +
               c * (1.401323894233574 +
                    c * (-0.3639746714505299 + c * (-0.9579768560161194 + c * 1.1550475450828657)));
    if (c > 0.035)
        return 0.022652077593662934 +
               c * (0.5252380349996234 + c * (2.5484334534423887 + c * -0.8763755326550412));
    return 0.004733749294807862 +
           c * (4.716738065192151 +
                c * (-463.506669149804 +
                     c * (24745.88727411664 + c * (-606122.7511711778 + c * 5521693.445014727))));
}

double tracer_polynomial(double c) {
    if (c <= 0.1) return 0.008 + c * (1.891 + c * (-39.39 + c * (520.7 + c * -2245.0)));
    return -0.020 + c * (1.151 + c * (0.607 + c * (-2.481 + c * 1.973)));
}

double exact_x(double csr) {
    if (csr == 0.0) return 0.0;
    // The ratio grows with x, from 2e-13 at the lower end to 0.9 at the upper one.
    const auto realised_csr = [](double x) { return buie_realised_csr(buie_parameters_of(x)); };
    return solve_increasing(realised_csr, csr, 1e-3, 1.0);
}

}  // namespace

BuieParameters buie_parameters_of(double x) {
    if (x == 0.0) return {};
    return {x,
            0.9 * std::log(13.5 * x) * std::pow(x, -0.3),
            2.2 * std::log(0.52 * x) * std::pow(x, 0.43) - 0.1};
}

BuieParameters buie_parameters(const BuieShape& shape) {
    if (!kCircumsolarRatios.contains(shape.csr))
        throw InputError(Problem{
            "sun shape",
            fmt::format(
                "circumsolar ratio {} is outside of {}", shape.csr, kCircumsolarRatios.text()),
            kCircumsolarRatios.why,
            "typical values are 0.01 (clear) to 0.3 (hazy)"});
    switch (shape.calibration) {
        case BuieCalibration::tonatiuh:
            return buie_parameters_of(tonatiuh_polynomial(shape.csr));
        case BuieCalibration::tracer:
            return buie_parameters_of(tracer_polynomial(shape.csr));
        case BuieCalibration::exact:
            break;
    }
    return buie_parameters_of(exact_x(shape.csr));
}

double buie_disc_integral(double theta) {
    // Sum up the disc's parts only once, because they are the same for every sun.
    static const std::vector<double> whole_parts = [] {
        std::vector<double> sums{0.0};
        for (int i = 0; i < kDiscParts; ++i)
            sums.push_back(sums.back() + disc_part(kDiscPart * i, kDiscPart * (i + 1)));
        return sums;
    }();
    const int part = std::clamp(static_cast<int>(theta / kDiscPart), 0, kDiscParts - 1);
    return whole_parts[part] + disc_part(kDiscPart * part, theta);
}

double buie_ring_integral(const BuieParameters& parameters, double theta) {
    if (parameters.x == 0.0) return 0.0;
    const double g = parameters.gamma + 2.0;
    const double edge = kBuieDisc / kMilliradian;
    return kMilliradian * kMilliradian * std::exp(parameters.kappa) * std::pow(edge, g) *
           relative_power(g, std::log(theta / kBuieDisc));
}

double buie_ring_angle(const BuieParameters& parameters, double share) {
    const double g = parameters.gamma + 2.0;
    const double width = std::log(kBuieAureole / kBuieDisc);
    const double y =
        std::abs(g) < 1e-9 ? share * width : std::log1p(share * std::expm1(g * width)) / g;
    return kBuieDisc * std::exp(y);
}

double buie_radiance(const BuieParameters& parameters, double theta) {
    if (theta <= kBuieDisc) return disc_radiance(theta);
    if (theta > kBuieAureole || parameters.x == 0.0) return 0.0;
    return std::exp(parameters.kappa) * std::pow(theta / kMilliradian, parameters.gamma);
}

double buie_realised_csr(const BuieParameters& parameters) {
    const double ring = buie_ring_integral(parameters);
    return ring / (buie_disc_integral() + ring);
}

}  // namespace helioray
