// SPDX-License-Identifier: MIT
// Frame, points and description of cylinders.
#include "scenario/types/targets/cylinder_target.h"

#include "scenario/files/units.h"
#include "scenario/types/targets/revolution.h"

#include <fmt/format.h>

namespace helioray {

TargetWords describe_shape(const CylindricalTarget& cylinder) {
    const bool outer = cylinder.side == CylindricalTarget::Side::outer;
    return {outer ? "cylinder" : "cylinder, inner side",
            fmt::format("radius {:.3f}, height {:.3f}, {:.1f} deg",
                        cylinder.radius,
                        cylinder.height,
                        cylinder.opening_angle / kRadiansPerDegree)};
}

std::optional<ShapeFault> find_shape_fault(const CylindricalTarget& cylinder) {
    return find_sector_fault(cylinder.axis, cylinder.normal);
}

std::array<Vec3, 3> compute_axes(const CylindricalTarget& cylinder) {
    return revolution_axes(cylinder.axis, cylinder.normal);
}

Vec3 point_in_frame(const CylindricalTarget& cylinder, double x, double y) {
    // From outside, the frame's x points to the observer's left; from inside to the right.
    return point_of_revolution(cylinder.radius, side_sign(cylinder.side) * x / cylinder.radius, y);
}

Vec3 default_aim_point(const CylindricalTarget& cylinder) {
    return add_scaled(cylinder.center, cylinder.radius, cylinder.normal);
}

Vec3 default_aim_point(const CylindricalTarget& cylinder, const Vec3& from) {
    const bool surrounds =
        cylinder.side == CylindricalTarget::Side::outer && is_full_turn(cylinder.opening_angle);
    if (!surrounds) return default_aim_point(cylinder);
    return add_scaled(cylinder.center,
                      cylinder.radius,
                      direction_from_axis(cylinder.center, cylinder.axis, cylinder.normal, from));
}

Vec3 lit_normal(const CylindricalTarget& cylinder, const Vec3& point) {
    return scaled(-side_sign(cylinder.side),
                  direction_from_axis(cylinder.center, cylinder.axis, cylinder.normal, point));
}

}  // namespace helioray
