// SPDX-License-Identifier: MIT
// Numbers taken from a flux map, and the shape of the flux about its centre.
#pragma once

#include "raytracer/job/result.h"

#include <array>
#include <functional>

namespace helioray::validation {

/// Relative flux as a function of the distance from the target's centre in metres, 1 at 0.
using RadialFlux = std::function<double(double)>;

/// The same everywhere.
RadialFlux uniform_flux();

/// exp(-r^2 / (2 sigma^2)), sigma in metres.
RadialFlux gaussian_flux(double sigma);

/// A round image of the sun, its brightness a function of the radius in metres up to `edge`,
/// blurred by a Gaussian of `sigma` metres per axis: the integral of brightness(q) q exp(-(r^2 +
/// q^2) / (2 sigma^2)) I0(r q / sigma^2), tabulated up to `radius`.
RadialFlux blurred_flux(const std::function<double(double)>& brightness,
                        double edge,
                        double sigma,
                        double radius);

/// A number and its standard error.
struct Estimate {
    double value = 0.0;
    double std_error = 0.0;
};

/// Flux at the centre, kW/m2: the mean of the pixels whose centres lie within `radius`, divided by
/// the mean of `shape` over the same pixels, so that neither pixels nor radius bias it.
Estimate centre_flux(const TargetResult& target, double radius, const RadialFlux& shape);

/// Standard deviations of the light's positions on the target about its mean, metres [right, up],
/// without the share of the pixels' own width.
std::array<double, 2> spread(const TargetResult& target);

/// Root mean square distance of the light from the target's centre, metres, without the share of
/// the pixels' own width.
double rms_radius(const TargetResult& target);

/// Width and height of the smallest box of pixels that holds all light, metres.
std::array<double, 2> extent_of_light(const TargetResult& target);

/// Power on the target in kW.
Estimate power_kw(const TargetResult& target);

}  // namespace helioray::validation
