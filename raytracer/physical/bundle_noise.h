// SPDX-License-Identifier: MIT
// Noise that the rays of a bundle share, because they start at the same point of a mirror.
#pragma once

#include "raytracer/job/peak_flux.h"
#include "raytracer/physical/field.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace helioray::physical {

/// Noise that neighbouring pixels of a target share, also by a bilinear filter. delivered: power of
/// each heliostat of field.aimed() on its target, in any unit; rays_per_heliostat: traced so far. A
/// bundle's rays fall into the image of one point of the mirror, whose area follows from the sun,
/// the optical errors and the distance. Independent points (sampling random, or few bundles in a
/// block) leave the number of bundles that light a place to chance; with many, Sobol points spread
/// evenly.
SharedNoise bundle_noise(const Field& field,
                         size_t target,
                         std::span<const int64_t> delivered,
                         int64_t rays_per_heliostat);

}  // namespace helioray::physical
