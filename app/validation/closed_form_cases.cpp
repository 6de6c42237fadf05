// SPDX-License-Identifier: MIT
// One paraboloid on its axis: powers and centre fluxes that are known in closed form.
#include "app/validation/measure.h"
#include "app/validation/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray::validation {

namespace {

/// Widths in mrad; negative for pillboxes, 0 for none. A slope error turns the reflected ray by
/// twice its angle.
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

/// The disc of pixels that determine the centre flux, and the radial decrease of the flux within
/// it.
struct Centre {
    double radius;  ///< metres
    RadialFlux shape;
};

Centre choose_centre(const ClosedForm& closed_form) {
    const double sun = kMetresPerMrad * closed_form.sun;
    const double slope = kMetresPerMrad * 2.0 * closed_form.slope;
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

void run(const ClosedForm& closed_form, Study& study) {
    const RunResult result =
        study.trace(on_axis_scene(sun_shape(closed_form.sun), slope_shape(closed_form.slope)));
    const TargetResult& target = result.targets.front();
    const Estimate power = power_kw(target);
    study.compare("power on target",
                  "kW",
                  closed_form.on_target,
                  "closed form",
                  power.value,
                  power.std_error,
                  four_sigma(power.std_error, kFiniteMirror, closed_form.on_target));
    const Centre disc = choose_centre(closed_form);
    const Estimate centre = centre_flux(target, disc.radius, disc.shape);
    study.compare("centre flux",
                  "kW/m2",
                  closed_form.centre,
                  "closed form",
                  centre.value,
                  centre.std_error,
                  four_sigma(centre.std_error, kFiniteMirror, closed_form.centre));
}

}  // namespace

std::vector<Case> closed_form_cases() {
    std::vector<Case> cases;
    for (const ClosedForm& closed_form : kClosedForms) {
        cases.push_back(
            {closed_form.id,
             describe("sun", closed_form.sun) + ", " + describe("slope error", closed_form.slope),
             [&closed_form](Study& study) { run(closed_form, study); }});
    }
    return cases;
}

}  // namespace helioray::validation
