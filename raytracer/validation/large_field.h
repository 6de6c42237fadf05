// SPDX-License-Identifier: MIT
// A field of the size of a power plant.
#pragma once

#include "raytracer/validation/scene.h"

#include <cstddef>

namespace helioray::validation {

/// Focused mirrors of 10 m x 10 m in staggered rings north of a receiver 200 m up, 20 m x 20 m; the
/// farther out, the farther apart the rings. Morning sun, Gaussian of 2.09 mrad, slope error 1
/// mrad, shading and blocking on.
Scene large_field(size_t num_heliostats);

}  // namespace helioray::validation
