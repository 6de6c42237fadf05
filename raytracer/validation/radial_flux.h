// SPDX-License-Identifier: MIT
// Shape of the flux about the centre of a focused spot.
#pragma once

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

}  // namespace helioray::validation
