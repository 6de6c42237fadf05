// SPDX-License-Identifier: MIT
// Description of planes, and axes of flat targets.
#include "scenario/types/targets/plane_target.h"

#include <fmt/format.h>

namespace helioray {

TargetWords describe_shape(const PlanarTarget& plane) {
    return {"plane", fmt::format("{:.3f} x {:.3f}", plane.width, plane.height)};
}

std::array<Vec3, 3> flat_axes(const Vec3& given_normal) {
    const Vec3 normal = normalized(given_normal);
    // Up in the plane is the projection of world up; a horizontal plane has none and uses north.
    Vec3 up = perpendicular({0, 0, 1}, normal);
    if (norm(up) == 0.0) up = perpendicular({0, 1, 0}, normal);
    return {cross(up, normal), up, normal};
}

}  // namespace helioray
