// SPDX-License-Identifier: MIT
// Frame, points and description of cones.
#include "scenario/types/targets/conical_target.h"

#include "scenario/files/units.h"
#include "scenario/types/targets/revolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

/// Returns the point of the frame at an angle, and at a fraction of the area from the bottom.
Vec3 point_at(const ConicalTarget& cone, double angle, double fraction) {
    // Up to a height s (0 to 1) the fraction is s (2 b + (t - b) s) / (b + t) with the radii b and
    // t. This form of the root is also exact for equal radii.
    const double widening = cone.top_radius - cone.bottom_radius;
    const double target = fraction * (cone.bottom_radius + cone.top_radius);
    const double square = cone.bottom_radius * cone.bottom_radius + widening * target;
    const double below = cone.bottom_radius + std::sqrt(std::max(0.0, square));
    const double s = below > 0.0 ? target / below : 0.0;
    return point_of_revolution(
        std::max(0.0, cone.bottom_radius + s * widening), angle, (s - 0.5) * cone.height);
}

}  // namespace

std::array<double, 2> shape_extent(const ConicalTarget& cone) {
    return {0.5 * (cone.bottom_radius + cone.top_radius) * cone.opening_angle,
            std::hypot(cone.height, cone.top_radius - cone.bottom_radius)};
}

TargetWords describe_shape(const ConicalTarget& cone) {
    return {cone.side == ConicalTarget::Side::outer ? "cone" : "cone, inner side",
            fmt::format("radii {:.3f} to {:.3f}, height {:.3f}, {:.1f} deg",
                        cone.bottom_radius,
                        cone.top_radius,
                        cone.height,
                        cone.opening_angle / kRadiansPerDegree)};
}

std::optional<ShapeFault> find_shape_fault(const ConicalTarget& cone) {
    if (!(cone.bottom_radius + cone.top_radius > 0.0))
        return ShapeFault{"top_radius",
                          "is 0, and bottom_radius too",
                          "a cone has one apex at most",
                          "give one radius above 0"};
    return find_sector_fault(cone.axis, cone.normal);
}

std::array<Vec3, 3> compute_axes(const ConicalTarget& cone) {
    return revolution_axes(cone.axis, cone.normal);
}

Vec3 point_in_frame(const ConicalTarget& cone, double x, double y) {
    const auto [width, height] = shape_extent(cone);
    return point_at(cone, side_sign(cone.side) * x / width * cone.opening_angle, y / height + 0.5);
}

std::array<double, 2> place_on_map(const ConicalTarget& cone, const Vec3& point) {
    const auto [width, height] = shape_extent(cone);
    const double s = point[2] / cone.height + 0.5;
    const double widening = cone.top_radius - cone.bottom_radius;
    const double fraction =
        s * (2.0 * cone.bottom_radius + widening * s) / (cone.bottom_radius + cone.top_radius);
    return {side_sign(cone.side) * std::atan2(point[0], point[1]) / cone.opening_angle * width,
            (fraction - 0.5) * height};
}

Vec3 default_aim_point(const ConicalTarget& cone) {
    const Vec3 point = point_at(cone, 0.0, 0.5);
    return turned_point(cone.center, cone.axis, cone.normal, point);
}

Vec3 default_aim_point(const ConicalTarget& cone, const Vec3& from) {
    if (cone.side == ConicalTarget::Side::inner || !is_full_turn(cone.opening_angle))
        return default_aim_point(cone);
    const Vec3 facing = direction_from_axis(cone.center, cone.axis, cone.normal, from);
    const Vec3 point = point_at(cone, 0.0, 0.5);
    return turned_point(cone.center, cone.axis, facing, point);
}

Vec3 lit_normal(const ConicalTarget& cone, const Vec3& point) {
    const Vec3 radial = direction_from_axis(cone.center, cone.axis, cone.normal, point);
    const Vec3 outward =
        add_scaled(scaled(cone.height, radial), cone.bottom_radius - cone.top_radius, cone.axis);
    return scaled(-side_sign(cone.side), normalized(outward));
}

}  // namespace helioray
