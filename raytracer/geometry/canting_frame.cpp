// SPDX-License-Identifier: MIT
// The frame of a canted facet.
#include "raytracer/geometry/canting_frame.h"

#include "scenario/vector_math.h"

namespace helioray {

std::array<Vec3, 3> canting_axes(const Facet& facet) {
    const Vec3 e = normalized(facet.canting_e);
    const Vec3 u = normalized(cross(e, facet.canting_n));
    return {e, cross(u, e), u};
}

Vec3 along_axes(const Vec3& origin, const std::array<Vec3, 3>& axes, const Vec3& v) {
    Vec3 result = origin;
    for (size_t i = 0; i < 3; ++i) result = add_scaled(result, v[i], axes[i]);
    return result;
}

}  // namespace helioray
