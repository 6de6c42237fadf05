// SPDX-License-Identifier: MIT
// Profile, frame, points and description of compound parabolic concentrators.
#include "scenario/types/targets/concentrator_target.h"

#include "scenario/files/units.h"
#include "scenario/types/quadrature.h"
#include "scenario/types/targets/revolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

/// The wall by the parameter w = sqrt(p (p + cos z)) with p = exit radius (1 + sin), in which the
/// distance from the axis is a polynomial.
struct Wall {
    double p, sine, cosine, last;

    explicit Wall(const ConcentratorTarget& concentrator)
        : p(concentrator.exit_radius * (1.0 + std::sin(concentrator.half_angle))),
          sine(std::sin(concentrator.half_angle)),
          cosine(std::cos(concentrator.half_angle)),
          last(parameter(concentrator.length)) {}

    double parameter(double z) const { return std::sqrt(std::max(0.0, p * (p + cosine * z))); }
    double height(double w) const { return (w * w / p - p) / cosine; }
    double radius(double w) const {
        return (2.0 * w - sine * cosine * height(w) - p * (1.0 + sine)) / (cosine * cosine);
    }
    double slope(double w) const { return (p / w - sine) / cosine; }
    /// Length of the wall per parameter.
    double rate(double w) const { return 2.0 * w / (p * cosine) * std::hypot(1.0, slope(w)); }
    /// Area between the exit and a parameter, divided by the angle.
    double area(double w) const {
        return integrate([this](double v) { return radius(v) * rate(v); }, p, w);
    }
};

}  // namespace

double full_length(double exit_radius, double half_angle) {
    return exit_radius * (1.0 + 1.0 / std::sin(half_angle)) / std::tan(half_angle);
}

double wall_radius(const ConcentratorTarget& concentrator, double height) {
    const Wall wall(concentrator);
    return wall.radius(wall.parameter(height));
}

double side_tangent(const ConcentratorTarget& concentrator) {
    if (is_full_turn(concentrator.opening_angle)) return 0.0;
    return std::tan(0.5 * concentrator.opening_angle);
}

std::array<double, 2> shape_extent(const ConcentratorTarget& concentrator) {
    const Wall wall(concentrator);
    const double length = integrate([&](double w) { return wall.rate(w); }, wall.p, wall.last);
    const double tangent = side_tangent(concentrator);
    const double around = tangent == 0.0 ? 2.0 * std::numbers::pi : 2.0 * tangent;
    return {around * wall.area(wall.last) / length, length};
}

std::array<double, kMapCoefficients> map_polynomial(const ConcentratorTarget& concentrator) {
    const Wall wall(concentrator);
    const double all = wall.area(wall.last);
    return fit_polynomial(
        [&](double part) { return wall.area(wall.p + part * (wall.last - wall.p)) / all; }, 0.0);
}

TargetWords describe_shape(const ConcentratorTarget& concentrator) {
    const bool is_round = side_tangent(concentrator) == 0.0;
    return {is_round ? "round CPC" : "side of a CPC",
            fmt::format("half angle {:.2f} deg, radii {:.3f} to {:.3f}, length {:.3f}{}",
                        concentrator.half_angle / kRadiansPerDegree,
                        concentrator.exit_radius,
                        wall_radius(concentrator, concentrator.length),
                        concentrator.length,
                        is_round ? ""
                                 : fmt::format(", {:.1f} deg",
                                               concentrator.opening_angle / kRadiansPerDegree))};
}

std::optional<ShapeFault> find_shape_fault(const ConcentratorTarget& concentrator) {
    if (!(concentrator.half_angle / kRadiansPerDegree >= 1.0 &&
          concentrator.half_angle / kRadiansPerDegree <= 85.0))
        return ShapeFault{
            "half_angle",
            fmt::format("is {:.6g} degrees", concentrator.half_angle / kRadiansPerDegree),
            "it is the half angle of acceptance",
            "choose 1 to 85 degrees"};
    const double full = full_length(concentrator.exit_radius, concentrator.half_angle);
    if (!(concentrator.length <= full * (1.0 + 1e-6)))
        return ShapeFault{"length",
                          fmt::format("is above {:.6g} m", full),
                          "an untruncated concentrator has this length",
                          "choose a smaller one"};
    constexpr double kThird = 2.0 * std::numbers::pi / 3.0;
    if (!is_full_turn(concentrator.opening_angle) &&
        concentrator.opening_angle > kThird * (1.0 + 1e-6))
        return ShapeFault{"opening_angle",
                          "is neither a full turn nor the angle of a flat side",
                          "a polygon has at least three sides",
                          "choose at most 120 degrees, or 360 degrees"};
    return find_sector_fault(concentrator.axis, concentrator.normal);
}

std::array<Vec3, 3> compute_axes(const ConcentratorTarget& concentrator) {
    return revolution_axes(concentrator.axis, concentrator.normal);
}

Vec3 point_in_frame(const ConcentratorTarget& concentrator, double x, double y) {
    const Wall wall(concentrator);
    const auto [width, height] = shape_extent(concentrator);
    const double w = find_increasing([&](double v) { return wall.area(v); },
                                     (y / height + 0.5) * wall.area(wall.last),
                                     wall.p,
                                     wall.last);
    const double radius = wall.radius(w);
    const double tangent = side_tangent(concentrator);
    if (tangent == 0.0)
        return point_of_revolution(radius, 2.0 * std::numbers::pi * x / width, wall.height(w));
    return {2.0 * tangent * radius * x / width, radius, wall.height(w)};
}

std::array<double, 2> place_on_map(const ConcentratorTarget& concentrator, const Vec3& point) {
    const Wall wall(concentrator);
    const auto [width, height] = shape_extent(concentrator);
    const double fraction = wall.area(wall.parameter(point[2])) / wall.area(wall.last);
    const double tangent = side_tangent(concentrator);
    const double across = tangent == 0.0 ? std::atan2(point[0], point[1]) / (2.0 * std::numbers::pi)
                                         : point[0] / (2.0 * tangent * std::max(point[1], 1e-300));
    return {across * width, (fraction - 0.5) * height};
}

Vec3 default_aim_point(const ConcentratorTarget& concentrator) {
    return turned_point(concentrator.center,
                        concentrator.axis,
                        concentrator.normal,
                        point_in_frame(concentrator, 0.0, 0.0));
}

Vec3 default_aim_point(const ConcentratorTarget& concentrator, const Vec3&) {
    return default_aim_point(concentrator);
}

Vec3 lit_normal(const ConcentratorTarget& concentrator, const Vec3& point) {
    const Vec3 axis = normalized(concentrator.axis);
    const Wall wall(concentrator);
    const double height = dot(subtract(point, concentrator.center), axis);
    const double slope = wall.slope(wall.parameter(height));
    const Vec3 outward =
        side_tangent(concentrator) == 0.0
            ? direction_from_axis(concentrator.center, axis, concentrator.normal, point)
            : normalized(concentrator.normal);
    return normalized(subtract(scaled(slope, axis), outward));
}

}  // namespace helioray
