// SPDX-License-Identifier: MIT
// Frame, points, areas and description of quadrics of revolution.
#include "scenario/types/targets/quadric_target.h"

#include "scenario/types/quadrature.h"
#include "scenario/types/targets/plane_target.h"
#include "scenario/types/targets/revolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

/// Steepest slope of a rim, 70 degrees, up to which the polynomial of the map is accurate.
constexpr double kSteepest = 2.7474774194546216;

/// Returns the square of the slope's factor of areas, by the square of the distance from the axis.
double area_factor(const QuadricTarget& quadric, double square) {
    const double curvature = quadric.curvature_radius * quadric.curvature_radius;
    const double bend = 1.0 + quadric.conic_constant;
    return std::sqrt((curvature - quadric.conic_constant * square) / (curvature - bend * square));
}

/// Returns the square of the distance from the axis on the bitmap.
double square_on_map(const QuadricTarget& quadric, double square) {
    const double hole = quadric.inner_radius * quadric.inner_radius;
    return hole + integrate([&](double s) { return area_factor(quadric, s); }, hole, square);
}

std::string name_kind(double conic_constant) {
    if (conic_constant == -1.0) return "paraboloid";
    return conic_constant < -1.0 ? "hyperboloid" : "ellipsoid";
}

}  // namespace

QuadricTarget quadric_with_foci(const Vec3& vertex, const Vec3& near_focus, const Vec3& far_focus) {
    QuadricTarget quadric;
    const Vec3 to_near = subtract(near_focus, vertex);
    const Vec3 to_far = subtract(far_focus, vertex);
    const double close = norm(to_near), distant = norm(to_far);
    quadric.center = vertex;
    quadric.axis = normalized(to_near);
    // Light between the foci passes the vertex in the same direction, or turns round there.
    const double far_side = dot(to_near, to_far) < 0.0 ? -1.0 : 1.0;
    const double both = distant + far_side * close;
    const double eccentricity = (distant - far_side * close) / both;
    quadric.conic_constant = -eccentricity * eccentricity;
    quadric.curvature_radius = 2.0 * distant * close / both;
    return quadric;
}

double height_above_vertex(const QuadricTarget& quadric, double radius) {
    const double curvature = quadric.curvature_radius;
    const double square = radius * radius;
    const double rest = curvature * curvature - (1.0 + quadric.conic_constant) * square;
    return square / (curvature + std::sqrt(std::max(0.0, rest)));
}

double slope_at(const QuadricTarget& quadric, double radius) {
    const double curvature = quadric.curvature_radius;
    const double rest = curvature * curvature - (1.0 + quadric.conic_constant) * radius * radius;
    return radius / std::sqrt(std::max(1e-300, rest));
}

double shape_area(const QuadricTarget& quadric) {
    const double hole = quadric.inner_radius * quadric.inner_radius;
    return std::numbers::pi * (square_on_map(quadric, quadric.radius * quadric.radius) - hole);
}

double shape_area(const QuadricTarget& quadric, const Outline& outline) {
    // Sum of the sectors between the vertex and each edge: integrals over the angle of half the
    // square of the distance on a map of equal areas.
    QuadricTarget whole = quadric;
    whole.inner_radius = 0.0;
    double area = 0.0;
    for (size_t i = 0; i < outline.size(); ++i) {
        const auto& from = outline[i];
        const auto& to = outline[(i + 1) % outline.size()];
        const double twice = from[0] * to[1] - from[1] * to[0];
        area += integrate(
            [&](double s) {
                const double x = from[0] + s * (to[0] - from[0]);
                const double y = from[1] + s * (to[1] - from[1]);
                const double square = x * x + y * y;
                return square > 0.0 ? 0.5 * twice * square_on_map(whole, square) / square : 0.0;
            },
            0.0,
            1.0);
    }
    return area;
}

std::array<double, 2> shape_extent(const QuadricTarget& quadric) {
    const double width = 2.0 * std::sqrt(square_on_map(quadric, quadric.radius * quadric.radius));
    return {width, width};
}

std::array<double, kMapCoefficients> map_polynomial(const QuadricTarget& quadric) {
    const double outer = quadric.radius * quadric.radius;
    const double hole = quadric.inner_radius * quadric.inner_radius;
    return fit_polynomial(
        [&](double part) {
            const double square = part * outer;
            return std::sqrt(square_on_map(quadric, square) / square);
        },
        hole / outer);
}

TargetWords describe_shape(const QuadricTarget& quadric) {
    const std::string kind = name_kind(quadric.conic_constant);
    const std::string hole =
        quadric.inner_radius > 0.0 ? fmt::format("{:.3f} to ", quadric.inner_radius) : "";
    return {quadric.side == QuadricTarget::Side::outer ? kind : kind + ", inner side",
            fmt::format("radius {}{:.3f}, curvature {:.3f}, conic constant {:.4f}",
                        hole,
                        quadric.radius,
                        quadric.curvature_radius,
                        quadric.conic_constant)};
}

std::optional<ShapeFault> find_shape_fault(const QuadricTarget& quadric) {
    if (!(quadric.inner_radius < quadric.radius))
        return ShapeFault{"inner_radius",
                          "is not below the radius",
                          "the surface lies between both",
                          "choose a smaller one"};
    if (!(std::abs(quadric.conic_constant) <= 1e4))
        return ShapeFault{"conic_constant",
                          fmt::format("is {}", quadric.conic_constant),
                          "-1 is a paraboloid, a smaller one a hyperboloid, a larger one an "
                          "ellipsoid",
                          "choose a number from -10000 to 10000"};
    if (!(slope_at(quadric, quadric.radius) <= kSteepest))
        return ShapeFault{"radius",
                          "reaches where the surface is steeper than 70 degrees",
                          "rims across the axis bound the surface",
                          "choose a smaller one, or a larger radius of curvature"};
    return std::nullopt;
}

std::array<Vec3, 3> compute_axes(const QuadricTarget& quadric) {
    const double side = side_sign(quadric.side);
    const auto [right, up, front] = flat_axes(scaled(side, quadric.axis));
    return {scaled(side, right), up, normalized(quadric.axis)};
}

Vec3 point_in_frame(const QuadricTarget& quadric, double x, double y) {
    const double distance = std::hypot(x, y);
    const double square = find_increasing([&](double s) { return square_on_map(quadric, s); },
                                          distance * distance,
                                          quadric.inner_radius * quadric.inner_radius,
                                          quadric.radius * quadric.radius);
    const double radius = std::sqrt(square);
    const double height = height_above_vertex(quadric, radius);
    if (distance == 0.0) return {0.0, radius, height};
    return {side_sign(quadric.side) * x / distance * radius, y / distance * radius, height};
}

std::array<double, 2> place_on_map(const QuadricTarget& quadric, const Vec3& point) {
    const double square = point[0] * point[0] + point[1] * point[1];
    const double factor =
        square > 0.0 ? std::sqrt(std::max(0.0, square_on_map(quadric, square)) / square) : 1.0;
    return {side_sign(quadric.side) * factor * point[0], factor * point[1]};
}

Vec3 default_aim_point(const QuadricTarget& quadric) {
    const auto axes = compute_axes(quadric);
    const Vec3 point = point_in_frame(quadric, 0.0, 0.0);
    Vec3 world = quadric.center;
    for (size_t i = 0; i < 3; ++i) world = add_scaled(world, point[i], axes[i]);
    return world;
}

Vec3 default_aim_point(const QuadricTarget& quadric, const Vec3&) {
    return default_aim_point(quadric);
}

Vec3 lit_normal(const QuadricTarget& quadric, const Vec3& point) {
    const Vec3 axis = normalized(quadric.axis);
    const Vec3 from = subtract(point, quadric.center);
    const Vec3 across = perpendicular(from, axis);
    const double radius = norm(subtract(from, scaled(dot(from, axis), axis)));
    const double slope = slope_at(quadric, radius);
    const Vec3 outward = radius > 0.0 ? subtract(scaled(slope, across), axis) : scaled(-1.0, axis);
    return scaled(-side_sign(quadric.side), normalized(outward));
}

}  // namespace helioray
