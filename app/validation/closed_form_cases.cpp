// SPDX-License-Identifier: MIT
// One paraboloid on its axis: powers and centre flux that are known in closed form.
#include "app/validation/measure.h"
#include "app/validation/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray::validation {

namespace {

/// Widths in mrad; pillboxes are negative, 0 is none. The reflected ray turns by twice the slope
/// error.
struct ClosedForm {
    const char* id;
    double sun;
    double slope;
    double on_target;  ///< kW: 100 erf(h / (sqrt 2 s))^2 for a Gaussian of s metres, h = 4 m
    double centre;     ///< kW/m2: P / (2 pi s^2) or P / (pi R^2)
};

constexpr ClosedForm kClosedForms[] = {
    {"F1", 0, -1, 100.0, 31.8310},
    {"F2", 0, -2, 100.0, 7.9577},
    {"F3", 0, -3, 100.0, 3.5368},
    {"F4", 0, 1, 99.9873, 15.9155},
    {"F5", 0, 2, 91.1070, 3.9789},
    {"F6", 0, 3, 66.8433, 1.7684},
    {"F7", -4, 0, 100.0, 7.9577},
    {"F8", 4, 0, 91.1070, 3.9789},
    {"F9", -4.65, 2, 83.9369, 2.8924},
    {"F10", 4, 2, 71.0145, 1.98944},
};

constexpr double kMetresPerMrad = 0.5;  ///< ray deviation at 500 m
constexpr double kDisc = 1.0;           ///< metres, within which pixels make the centre flux
constexpr double kTable = 1.2;          ///< metres, the same with the pixels' corners

SunShape sun_shape(double mrad) {
    if (mrad == 0.0) return CollimatedShape{};
    if (mrad < 0.0) return PillboxShape{-mrad * kMrad};
    return GaussianShape{mrad * kMrad};
}

ErrorShape slope_shape(double mrad) {
    if (mrad == 0.0) return NoError{};
    if (mrad < 0.0) return PillboxShape{-mrad * kMrad};
    return GaussianShape{mrad * kMrad};
}

/// The disc of pixels that make the centre flux, and how the flux falls off within it.
struct Centre {
    double radius;  ///< metres
    RadialFlux shape;
};

Centre centre_of(const ClosedForm& one) {
    const double sun = kMetresPerMrad * one.sun;
    const double slope = kMetresPerMrad * 2.0 * one.slope;
    // Pillboxes have negative widths; at most one of the two is a pillbox.
    const double pillbox = -std::min({sun, slope, 0.0});
    const double sigma = std::hypot(std::max(sun, 0.0), std::max(slope, 0.0));
    if (sigma == 0.0) return {0.8 * pillbox, uniform_flux()};
    if (pillbox == 0.0) return {kDisc, gaussian_flux(sigma)};
    return {kDisc, blurred_flux([](double) { return 1.0; }, pillbox, sigma, kTable)};
}

std::string describe(const char* name, double mrad) {
    if (mrad == 0.0) return fmt::format("no {}", name);
    return fmt::format(
        "{} {} {:g} mrad", mrad < 0.0 ? "pillbox" : "Gaussian", name, std::abs(mrad));
}

void run(const ClosedForm& one, Study& study) {
    const RunResult result = study.trace(on_axis_scene(sun_shape(one.sun), slope_shape(one.slope)));
    const TargetResult& target = result.targets.front();
    const Estimate power = power_kw(target);
    study.compare("power on target",
                  "kW",
                  one.on_target,
                  "closed form",
                  power.value,
                  power.std_error,
                  four_sigma(power.std_error, kFiniteMirror, one.on_target));
    const Centre disc = centre_of(one);
    const Estimate centre = centre_flux(target, disc.radius, disc.shape);
    study.compare("centre flux",
                  "kW/m2",
                  one.centre,
                  "closed form",
                  centre.value,
                  centre.std_error,
                  four_sigma(centre.std_error, kFiniteMirror, one.centre));
}

}  // namespace

std::vector<Case> closed_form_cases() {
    std::vector<Case> cases;
    for (const ClosedForm& one : kClosedForms) {
        cases.push_back({one.id,
                         describe("sun", one.sun) + ", " + describe("slope error", one.slope),
                         [&one](Study& study) { run(one, study); }});
    }
    return cases;
}

}  // namespace helioray::validation
