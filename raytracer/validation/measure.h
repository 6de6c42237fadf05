// SPDX-License-Identifier: MIT
// What is read off a flux map: mean flux near its centre, moments, extents of the light.
#pragma once

#include "raytracer/result.h"
#include "raytracer/validation/radial_flux.h"

#include <array>

namespace helioray::validation {

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
