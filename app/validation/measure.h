// SPDX-License-Identifier: MIT
// Measures numbers of a flux map, and describes the shape of the flux about its centre.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <array>
#include <functional>

namespace helioray::validation {

/// Relative flux as a function of the distance from the target's centre in metres, 1 at 0.
using RadialFlux = std::function<double(double)>;

/// Pixels within this radius determine the flux at the centre, metres.
inline constexpr double kDisc = 1.0;
inline constexpr double kTable = 1.2;  ///< kDisc with the corners of its pixels, metres

/// Returns a flux of 1 everywhere.
RadialFlux uniform_flux();

/// Returns exp(-r^2 / (2 sigma^2)), with sigma in metres.
RadialFlux gaussian_flux(double sigma);

/// Returns the flux of a round image of the sun blurred by a Gaussian of `sigma` metres per axis.
/// Its brightness is a function of the radius in metres up to `edge`. The flux is the integral of
/// brightness(q) q exp(-(r^2 + q^2) / (2 sigma^2)) I0(r q / sigma^2), tabulated up to `radius`.
RadialFlux blurred_flux(const std::function<double(double)>& brightness,
                        double edge,
                        double sigma,
                        double radius);

/// A number and its standard error.
struct Estimate {
    double value = 0.0;
    double std_error = 0.0;
};

/// Returns the flux at the centre in kW/m2: the mean of the pixels whose centres lie within
/// `radius`, divided by the mean of `shape` over the same pixels, so that neither pixels nor radius
/// bias it.
Estimate centre_flux(const TargetResult& target, double radius, const RadialFlux& shape);

/// Returns the standard deviations of the light's positions on the target about its mean, metres
/// [right, up], without the contribution of the pixels' own width.
std::array<double, 2> spread(const TargetResult& target);

/// Returns the root mean square distance of the light from the target's centre in metres, without
/// the contribution of the pixels' own width.
double rms_radius(const TargetResult& target);

/// Returns width and height of the smallest box of pixels that contains all light, in metres.
std::array<double, 2> extent_of_light(const TargetResult& target);

/// Returns the power on the target in kW.
Estimate power_kw(const TargetResult& target);

}  // namespace helioray::validation
