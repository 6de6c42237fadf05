// SPDX-License-Identifier: MIT
// Small fields to measure speed and sampling on.
#pragma once

#include "raytracer/validation/scene.h"

#include <cstdint>
#include <string>
#include <vector>

namespace helioray::validation {

struct NamedScene {
    std::string name;
    Scene scene;
    int64_t rays_per_heliostat = 0;  ///< that belong to it; 0: as many as one likes
};

/// The inner rings of the published field in the morning with Gaussian sun and slope error: once
/// without, once with shading and blocking. The sun stands low, so that half of the mirrors are
/// hidden in part.
std::vector<NamedScene> small_fields();

/// The small fields, the plain one under other suns, one heliostat, and 6,000 and 20,000 with
/// shading and blocking; the 6,000 also with few and with many rays each.
std::vector<NamedScene> speed_fields();

}  // namespace helioray::validation
