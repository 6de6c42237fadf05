// SPDX-License-Identifier: MIT
// Frame, points and description of annuli.
#include "scenario/types/targets/annular_target.h"

#include "scenario/files/units.h"
#include "scenario/types/targets/revolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

std::array<double, 2> shape_extent(const AnnularTarget& annulus) {
    return {0.5 * (annulus.inner_radius + annulus.radius) * annulus.opening_angle,
            annulus.radius - annulus.inner_radius};
}

TargetWords describe_shape(const AnnularTarget& annulus) {
    return {"annulus",
            fmt::format("radii {:.3f} to {:.3f}, {:.1f} deg",
                        annulus.inner_radius,
                        annulus.radius,
                        annulus.opening_angle / kRadiansPerDegree)};
}

std::optional<ShapeFault> find_shape_fault(const AnnularTarget& annulus) {
    if (!(annulus.inner_radius < annulus.radius))
        return ShapeFault{
            "inner_radius",
            fmt::format(
                "is {}, not below the outer radius {}", annulus.inner_radius, annulus.radius),
            "the annulus lies between both radii",
            "choose a smaller one"};
    if (std::abs(dot(annulus.normal, annulus.middle)) > kPerpendicular)
        return ShapeFault{"middle",
                          "is not perpendicular to the normal",
                          "it points from the centre to the middle of the sector",
                          "remove its component along the normal"};
    return std::nullopt;
}

std::array<Vec3, 3> compute_axes(const AnnularTarget& annulus) {
    return revolution_axes(annulus.normal, annulus.middle);
}

Vec3 point_in_frame(const AnnularTarget& annulus, double x, double y) {
    const auto [width, height] = shape_extent(annulus);
    const double inner = annulus.inner_radius * annulus.inner_radius;
    const double outer = annulus.radius * annulus.radius;
    const double square = inner + (y / height + 0.5) * (outer - inner);
    return point_of_revolution(
        std::sqrt(std::max(0.0, square)), x / width * annulus.opening_angle, 0.0);
}

std::array<double, 2> place_on_map(const AnnularTarget& annulus, const Vec3& point) {
    const auto [width, height] = shape_extent(annulus);
    const double inner = annulus.inner_radius * annulus.inner_radius;
    const double outer = annulus.radius * annulus.radius;
    const double square = point[0] * point[0] + point[1] * point[1];
    return {std::atan2(point[0], point[1]) / annulus.opening_angle * width,
            ((square - inner) / (outer - inner) - 0.5) * height};
}

Vec3 default_aim_point(const AnnularTarget& annulus) {
    return add_scaled(annulus.center, point_in_frame(annulus, 0.0, 0.0)[1], annulus.middle);
}

Vec3 default_aim_point(const AnnularTarget& annulus, const Vec3&) {
    return default_aim_point(annulus);
}

Vec3 lit_normal(const AnnularTarget& annulus, const Vec3&) {
    return annulus.normal;
}

}  // namespace helioray
