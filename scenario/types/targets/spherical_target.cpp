// SPDX-License-Identifier: MIT
// Frame, points and description of spheres.
#include "scenario/types/targets/spherical_target.h"

#include "scenario/files/units.h"
#include "scenario/types/targets/revolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

/// Returns the point of the frame at an angle and a height above the centre.
Vec3 point_at(const SphericalTarget& sphere, double angle, double height) {
    const double square = sphere.radius * sphere.radius - height * height;
    return point_of_revolution(std::sqrt(std::max(0.0, square)), angle, height);
}

double middle_height(const SphericalTarget& sphere) {
    const auto [bottom, top] = rim_heights(sphere);
    return 0.5 * (bottom + top);
}

}  // namespace

std::array<double, 2> rim_heights(const SphericalTarget& sphere) {
    return {sphere.radius * std::sin(sphere.bottom_latitude),
            sphere.radius * std::sin(sphere.top_latitude)};
}

std::array<double, 2> shape_extent(const SphericalTarget& sphere) {
    const auto [bottom, top] = rim_heights(sphere);
    return {sphere.radius * sphere.opening_angle, top - bottom};
}

TargetWords describe_shape(const SphericalTarget& sphere) {
    return {sphere.side == SphericalTarget::Side::outer ? "sphere" : "sphere, inner side",
            fmt::format("radius {:.3f}, latitudes {:.1f} to {:.1f} deg, {:.1f} deg",
                        sphere.radius,
                        sphere.bottom_latitude / kRadiansPerDegree,
                        sphere.top_latitude / kRadiansPerDegree,
                        sphere.opening_angle / kRadiansPerDegree)};
}

std::optional<ShapeFault> find_shape_fault(const SphericalTarget& sphere) {
    if (!(sphere.bottom_latitude < sphere.top_latitude))
        return ShapeFault{"top_latitude",
                          "is not above the lower rim",
                          "the surface lies between both rims",
                          "choose a larger one"};
    return find_sector_fault(sphere.axis, sphere.normal);
}

std::array<Vec3, 3> compute_axes(const SphericalTarget& sphere) {
    return revolution_axes(sphere.axis, sphere.normal);
}

Vec3 point_in_frame(const SphericalTarget& sphere, double x, double y) {
    return point_at(sphere, side_sign(sphere.side) * x / sphere.radius, middle_height(sphere) + y);
}

std::array<double, 2> place_on_map(const SphericalTarget& sphere, const Vec3& point) {
    return {side_sign(sphere.side) * sphere.radius * std::atan2(point[0], point[1]),
            point[2] - middle_height(sphere)};
}

Vec3 default_aim_point(const SphericalTarget& sphere) {
    const Vec3 point = point_at(sphere, 0.0, middle_height(sphere));
    return turned_point(sphere.center, sphere.axis, sphere.normal, point);
}

Vec3 default_aim_point(const SphericalTarget& sphere, const Vec3& from) {
    if (sphere.side == SphericalTarget::Side::inner || !is_full_turn(sphere.opening_angle))
        return default_aim_point(sphere);
    const Vec3 away = subtract(from, sphere.center);
    const double distance = norm(away);
    if (distance == 0.0) return default_aim_point(sphere);
    const auto [bottom, top] = rim_heights(sphere);
    const double height =
        std::clamp(sphere.radius * dot(normalized(sphere.axis), away) / distance, bottom, top);
    const Vec3 facing = direction_from_axis(sphere.center, sphere.axis, sphere.normal, from);
    const Vec3 point = point_at(sphere, 0.0, height);
    return turned_point(sphere.center, sphere.axis, facing, point);
}

Vec3 lit_normal(const SphericalTarget& sphere, const Vec3& point) {
    return scaled(-side_sign(sphere.side), normalized(subtract(point, sphere.center)));
}

}  // namespace helioray
