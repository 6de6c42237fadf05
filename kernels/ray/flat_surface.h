// SPDX-License-Identifier: MIT
// Numbers of flat surfaces of receivers that do not depend on where rays come from.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"
#include "kernels/receiver/hit.h"

namespace helioray::kernels {

/// Numbers of a flat surface that do not depend on the mirror point.
struct FlatSurface {
    Vec<float> normal;             ///< unit, shared frame
    Vec<float> across;             ///< unit axis to the right divided by the width, shared frame
    Vec<float> up;                 ///< unit axis upwards divided by the height, shared frame
    float limit_across, limit_up;  ///< halves of the sizes with the overlap, in widths and heights
};

HELIORAY_HD FlatSurface flat_surface(const SurfaceRecord& surface) {
    const float* m = surface.rotation;
    const float per_width = 1.0f / surface.shape.width;
    const float per_height = 1.0f / surface.shape.height;
    return {{m[6], m[7], m[8]},
            scaled(per_width, Vec<float>{m[0], m[1], m[2]}),
            scaled(per_height, Vec<float>{m[3], m[4], m[5]}),
            0.5f + kEdgeOverlap * per_width,
            0.5f + kEdgeOverlap * per_height};
}

}  // namespace helioray::kernels
