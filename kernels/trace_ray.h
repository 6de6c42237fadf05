// SPDX-License-Identifier: MIT
// Single rays of a trace with their paths, for pictures and checks.
#pragma once

#include "kernels/core/ray_end.h"
#include "kernels/core/trace_types.h"

#include <array>
#include <cstdint>
#include <vector>

namespace helioray::kernels {

/// Number of a ray in its field.
struct RayAddress {
    int32_t heliostat;       ///< index into FieldView::heliostats
    int64_t block;           ///< block of the heliostat's rays, see WorkUnit
    int64_t rays_per_block;  ///< rays of each block
    int64_t ray;             ///< index in the block, [0, rays_per_block)
};

/// A ray in the frame of its heliostat's target.
struct TracedRay {
    RayEnd end;          ///< place where the ray ends
    float mirror[3];     ///< point of the mirror, metres
    float to_sun[3];     ///< unit vector from the mirror point to the sun
    float reflected[3];  ///< unit vector in which the ray leaves the mirror
    /// Distance of the end from the mirror point, metres: along to_sun if the ray is shaded,
    /// otherwise along `reflected`; infinite for a ray that is spilled. With reflections: distance
    /// of the end from the last of them, along `last`; infinite for a ray that escapes.
    float distance;
    int64_t energy[kNumEnergySums];  ///< contribution to SumsView::energy, quanta
    /// Points of receivers' surfaces that reflect the ray, metres.
    std::vector<std::array<float, 3>> reflections;
    float last[3];  ///< unit vector in which the ray leaves the last of these points
};

/// Traces one ray of a field in host memory. Its path and its quanta are those of the same ray in
/// trace_flux_cpu(), to the last bit, up to the first surface of a receiver. A surface that
/// reflects absorbs or reflects the ray as a whole, by chance with the probability of either part,
/// so that many rays have the mean of trace_flux_cpu(); `energy` counts all its light as delivered.
TracedRay trace_ray(const FieldView& field, const RayAddress& address);

}  // namespace helioray::kernels
