// SPDX-License-Identifier: MIT
// The path of one ray through the plant.
#pragma once

#include "kernels/core/ray_end.h"
#include "scenario/types/vector_math.h"

#include <cstddef>
#include <vector>

namespace helioray {

/// A ray from the sun over a mirror to its end; positions and directions in ENU.
struct TracedPath {
    std::size_t heliostat = 0;  ///< index of the heliostat in the scenario or in the result
    kernels::RayEnd end = kernels::RayEnd::delivered;  ///< place where the ray ends
    Vec3 mirror{};     ///< point of the mirror that the ray meets or would meet, metres
    Vec3 to_sun{};     ///< unit vector from that point against the ray
    Vec3 end_point{};  ///< metres; rays that meet nothing are followed for a tenth of the way more
    /// Fraction of the ray's solar power (see EnergyTerms::solar_power) that it has at its end.
    double share = 0.0;
    double power_w = 0.0;  ///< power at the end of all rays of the run that this one represents, W
    std::vector<Vec3> reflections;  ///< points of receivers' surfaces that reflect it, metres
};

/// Name and description of an end of rays.
struct RayEndInfo {
    const char* name;         ///< "shaded"
    const char* description;  ///< one sentence
};

/// Returns the name and description of an end.
RayEndInfo ray_end_info(kernels::RayEnd end);

}  // namespace helioray
