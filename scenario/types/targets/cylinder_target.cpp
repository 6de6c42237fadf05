// SPDX-License-Identifier: MIT
// Frame, points and description of cylinders.
#include "scenario/types/targets/cylinder_target.h"

#include <fmt/format.h>

#include <numbers>

namespace helioray {

TargetWords describe_shape(const CylindricalTarget& cylinder) {
    const bool outer = cylinder.side == CylindricalTarget::Side::outer;
    return {outer ? "cylinder" : "cylinder, inner side",
            fmt::format("radius {:.3f}, height {:.3f}, {:.1f} deg",
                        cylinder.radius,
                        cylinder.height,
                        cylinder.opening_angle * 180.0 / std::numbers::pi)};
}

std::array<Vec3, 3> compute_axes(const CylindricalTarget& cylinder) {
    const Vec3 axis = normalized(cylinder.axis);
    const Vec3 normal = perpendicular(cylinder.normal, axis);
    return {cross(normal, axis), normal, axis};
}

Vec3 point_in_frame(const CylindricalTarget& cylinder, double x, double y) {
    // From outside, the frame's x points to the observer's left; from inside to the right.
    const double side = cylinder.side == CylindricalTarget::Side::inner ? 1.0 : -1.0;
    const double angle = side * x / cylinder.radius;
    return {cylinder.radius * std::sin(angle), cylinder.radius * std::cos(angle), y};
}

Vec3 default_aim_point(const CylindricalTarget& cylinder) {
    return add_scaled(cylinder.center, cylinder.radius, cylinder.normal);
}

Vec3 default_aim_point(const CylindricalTarget& cylinder, const Vec3& from) {
    // Allow for rounding of a full turn in the file's float32.
    const bool surrounds = cylinder.side == CylindricalTarget::Side::outer &&
                           cylinder.opening_angle >= 2.0 * std::numbers::pi * (1.0 - 1e-6);
    if (!surrounds) return default_aim_point(cylinder);
    const Vec3 axis = normalized(cylinder.axis);
    const Vec3 away = subtract(from, cylinder.center);
    const Vec3 radial = subtract(away, scaled(dot(axis, away), axis));
    if (norm(radial) < 1e-9) return default_aim_point(cylinder);
    return add(cylinder.center, scaled(cylinder.radius, normalized(radial)));
}

}  // namespace helioray
