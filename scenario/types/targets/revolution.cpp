// SPDX-License-Identifier: MIT
// Frames and directions of surfaces of revolution.
#include "scenario/types/targets/revolution.h"

#include <cmath>
#include <numbers>

namespace helioray {

std::array<Vec3, 3> revolution_axes(const Vec3& given_axis, const Vec3& given_normal) {
    const Vec3 axis = normalized(given_axis);
    const Vec3 normal = perpendicular(given_normal, axis);
    return {cross(normal, axis), normal, axis};
}

std::optional<ShapeFault> find_sector_fault(const Vec3& axis, const Vec3& normal) {
    if (std::abs(dot(axis, normal)) <= kPerpendicular) return std::nullopt;
    return ShapeFault{"normal",
                      "is not perpendicular to the axis",
                      "it points from the axis to the middle of the sector",
                      "remove its component along the axis"};
}

bool is_full_turn(double opening_angle) {
    return opening_angle >= 2.0 * std::numbers::pi * (1.0 - 1e-6);
}

Vec3 direction_from_axis(const Vec3& center,
                         const Vec3& given_axis,
                         const Vec3& normal,
                         const Vec3& from) {
    const Vec3 axis = normalized(given_axis);
    const Vec3 away = subtract(from, center);
    const Vec3 radial = subtract(away, scaled(dot(axis, away), axis));
    return norm(radial) < 1e-9 ? normal : normalized(radial);
}

Vec3 point_of_revolution(double radius, double angle, double height) {
    return {radius * std::sin(angle), radius * std::cos(angle), height};
}

double side_sign(CylindricalTarget::Side lit) {
    return lit == CylindricalTarget::Side::inner ? 1.0 : -1.0;
}

Vec3 turned_point(const Vec3& center, const Vec3& axis, const Vec3& facing, const Vec3& point) {
    return add_scaled(add_scaled(center, point[1], facing), point[2], axis);
}

}  // namespace helioray
