// SPDX-License-Identifier: MIT
// Noise that the rays of a bundle share, because they start at the same point of a mirror.
#pragma once

#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/physical/field.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace helioray::physical {

/// Returns the noise that neighbouring pixels of a target share, also by a bilinear filter. `map`
/// has the flux of field.targets()[target]; `delivered` is the power of each heliostat of
/// field.aimed() on its target, in any unit; `rays_per_heliostat` were traced so far.
///
/// A bundle's rays fall into the image of one point of the mirror, whose area follows from the sun,
/// the optical errors and the distance. Points of a mirror that light other places leave the number
/// of bundles that light one place to chance: all of it if they are independent (sampling random,
/// or few bundles in a block), less where Sobol points spread evenly.
SharedNoise bundle_noise(const Field& field,
                         size_t target,
                         const TargetResult& map,
                         std::span<const int64_t> delivered,
                         int64_t rays_per_heliostat);

}  // namespace helioray::physical
