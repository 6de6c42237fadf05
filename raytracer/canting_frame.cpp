// SPDX-License-Identifier: MIT
// The frame of a canted facet.
#include "raytracer/canting_frame.h"

#include "scenario/vector_math.h"

namespace helioray {

std::array<Vec3, 3> canting_axes(const Facet& facet) {
    const Vec3 e = normalized(facet.canting_e);
    const Vec3 u = normalized(cross(e, facet.canting_n));
    return {e, cross(u, e), u};
}

}  // namespace helioray
