// SPDX-License-Identifier: MIT
// Quadrics of revolution and concentrators: areas by closed form, maps of equal areas and back,
// normals, faults.
#include "scenario/types/types.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>
#include <vector>

using namespace helioray;

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

QuadricTarget paraboloid(double focal_length, double radius) {
    QuadricTarget quadric;
    quadric.curvature_radius = 2.0 * focal_length;
    quadric.radius = radius;
    return quadric;
}

ConcentratorTarget concentrator(double degrees, int sides) {
    ConcentratorTarget target;
    target.half_angle = degrees * kDegree;
    target.exit_radius = 1.0;
    target.length = full_length(1.0, target.half_angle);
    if (sides > 0) target.opening_angle = 2.0 * std::numbers::pi / sides;
    return target;
}

/// Checks that points of the map are on the surface and return to it, that the map has equal areas
/// and that normals are square to the surface.
template <typename Shape>
void check_map(const Shape& shape, double x, double y) {
    const Vec3 point = point_in_frame(shape, x, y);
    const auto back = place_on_map(shape, point);
    CHECK(back[0] == Approx(x).margin(1e-9));
    CHECK(back[1] == Approx(y).margin(1e-9));
    constexpr double kStep = 1e-4;
    const Vec3 right = subtract(point_in_frame(shape, x + kStep, y), point);
    const Vec3 up = subtract(point_in_frame(shape, x, y + kStep), point);
    CHECK(norm(cross(right, up)) == Approx(kStep * kStep).epsilon(1e-3));
    const auto axes = compute_axes(shape);
    const auto to_world = [&](const Vec3& v) {
        Vec3 world{};
        for (size_t i = 0; i < 3; ++i) world = add_scaled(world, v[i], axes[i]);
        return world;
    };
    const Vec3 normal = lit_normal(shape, add(shape.center, to_world(point)));
    // Right, up and the normal of the lit side are a right-handed system for its observer.
    const Vec3 facing = normalized(cross(to_world(right), to_world(up)));
    CHECK(dot(normal, facing) == Approx(1.0).epsilon(1e-6));
}

}  // namespace

TEST_CASE("quadric targets have the area of closed forms") {
    // Paraboloid: 8 pi f^2 / 3 ((1 + (r / 2 f)^2)^(3/2) - 1).
    const QuadricTarget dish = paraboloid(10.0, 10.0);
    CHECK(shape_area(dish) ==
          Approx(8.0 * std::numbers::pi * 100.0 / 3.0 * (std::pow(1.25, 1.5) - 1.0)).epsilon(1e-9));
    CHECK(shape_area(dish) == Approx(333.05).epsilon(1e-4));
    // Sphere: 2 pi R h.
    QuadricTarget cap = dish;
    cap.conic_constant = 0.0;
    cap.curvature_radius = 12.0;
    CHECK(shape_area(cap) ==
          Approx(2.0 * std::numbers::pi * 12.0 * height_above_vertex(cap, 10.0)).epsilon(1e-7));
    cap.inner_radius = 4.0;
    CHECK(shape_area(cap) ==
          Approx(2.0 * std::numbers::pi * 12.0 *
                 (height_above_vertex(cap, 10.0) - height_above_vertex(cap, 4.0)))
              .epsilon(1e-7));
}

TEST_CASE("outlined quadrics have the area of an integral over the outline") {
    QuadricTarget dish = paraboloid(3.0, 6.0);
    for (const double constant : {-1.0, 0.0, -2.5}) {
        dish.conic_constant = constant;
        if (constant == 0.0) dish.curvature_radius = 7.0;
        // Strips across a trapezium beside the vertex, between y = 1 and 4.
        const Outline trapezium{{-3, 1}, {2, 1}, {1, 4}, {0, 4}};
        constexpr int kSteps = 600;
        double area = 0.0;
        for (int i = 0; i < kSteps; ++i) {
            const double part = (i + 0.5) / kSteps, y = 1.0 + 3.0 * part;
            const double left = -3.0 + 3.0 * part, width = 5.0 - 4.0 * part;
            for (int k = 0; k < kSteps; ++k) {
                const double slope =
                    slope_at(dish, std::hypot(left + (k + 0.5) / kSteps * width, y));
                area += std::hypot(1.0, slope) * width * 3.0 / (kSteps * kSteps);
            }
        }
        CHECK(shape_area(dish, trapezium) == Approx(area).epsilon(1e-5));
    }
    // Many corners are nearly the whole surface.
    Outline corners;
    for (int i = 0; i < 64; ++i)
        corners.push_back(
            {6.0 * std::cos(i * kDegree * 5.625), 6.0 * std::sin(i * kDegree * 5.625)});
    CHECK(shape_area(dish, corners) == Approx(shape_area(dish)).epsilon(3e-3));
    CHECK(shape_area(dish, corners) < shape_area(dish));
}

TEST_CASE("quadric targets by their foci") {
    const QuadricTarget hyperboloid = quadric_with_foci({0, 0, 82}, {0, 0, 100}, {0, 0, 10});
    CHECK(hyperboloid.curvature_radius == Approx(48.0));
    CHECK(hyperboloid.conic_constant == Approx(-25.0 / 9.0));
    CHECK(hyperboloid.axis == Vec3{0, 0, 1});
    // (z - 55)^2 / 27^2 - r^2 / 36^2 = 1
    const double height = 82.0 + height_above_vertex(hyperboloid, 12.0);
    CHECK(std::pow((height - 55.0) / 27.0, 2) - std::pow(12.0 / 36.0, 2) == Approx(1.0));
    const QuadricTarget ellipsoid = quadric_with_foci({0, 0, 112}, {0, 0, 100}, {0, 0, 40});
    CHECK(ellipsoid.axis == Vec3{0, 0, -1});
    // Distances to both foci add up to the same length everywhere.
    const double drop = height_above_vertex(ellipsoid, 9.0);
    CHECK(std::hypot(9.0, 12.0 - drop) + std::hypot(9.0, 72.0 - drop) == Approx(84.0));
}

TEST_CASE("maps of quadric targets have equal areas") {
    QuadricTarget shape = paraboloid(10.0, 10.0);
    for (const auto side : {QuadricTarget::Side::inner, QuadricTarget::Side::outer}) {
        for (const Vec3& axis : {Vec3{0, 0, 1}, Vec3{0.6, 0, 0.8}}) {
            for (const double constant : {-3.0, -1.0, -0.4, 0.5}) {
                shape.side = side;
                shape.axis = axis;
                shape.conic_constant = constant;
                shape.center = {3, 4, 5};
                check_map(shape, 1.5, -2.0);
                check_map(shape, -7.0, 4.0);
            }
        }
    }
    const auto map = map_polynomial(shape);
    for (const double part : {0.1, 0.5, 0.9, 1.0}) {
        double factor = 0.0;
        for (size_t i = map.size(); i-- > 0;) factor = factor * part + map[i];
        const double radius = 10.0 * std::sqrt(part);
        const auto place = place_on_map(shape, {radius, 0.0, 0.0});
        CHECK(std::abs(place[0]) == Approx(radius * factor).epsilon(1e-5));
    }
    // Beside the surface, points move to the rim.
    const double edge = shape_extent(shape)[0];
    CHECK(std::hypot(point_in_frame(shape, edge, edge)[0], point_in_frame(shape, edge, edge)[1]) ==
          Approx(10.0));
}

TEST_CASE("maps of concentrators have equal areas") {
    for (const int sides : {0, 4, 12}) {
        ConcentratorTarget shape = concentrator(20.0, sides);
        shape.center = {1, 2, 3};
        const auto [width, height] = shape_extent(shape);
        check_map(shape, 0.1 * width, 0.2 * height);
        check_map(shape, -0.3 * width, -0.4 * height);
        CHECK(wall_radius(shape, 0.0) == Approx(1.0));
        CHECK(wall_radius(shape, shape.length) == Approx(1.0 / std::sin(20.0 * kDegree)));
        const auto map = map_polynomial(shape);
        double all = 0.0;
        for (const double coefficient : map) all += coefficient;
        CHECK(map[0] == Approx(0.0).margin(1e-5));
        CHECK(all == Approx(1.0).epsilon(1e-5));
    }
}

TEST_CASE("wrong quadrics and concentrators are found") {
    QuadricTarget quadric = paraboloid(10.0, 10.0);
    CHECK_FALSE(find_shape_fault(quadric));
    quadric.inner_radius = 10.0;
    CHECK(find_shape_fault(quadric)->member == "inner_radius");
    quadric.inner_radius = 0.0;
    quadric.radius = 60.0;
    CHECK(find_shape_fault(quadric)->member == "radius");
    quadric.conic_constant = 2e4;
    CHECK(find_shape_fault(quadric)->member == "conic_constant");
    ConcentratorTarget target = concentrator(20.0, 0);
    CHECK_FALSE(find_shape_fault(target));
    target.length *= 1.01;
    CHECK(find_shape_fault(target)->member == "length");
    target = concentrator(20.0, 2);
    CHECK(find_shape_fault(target)->member == "opening_angle");
    target = concentrator(20.0, 0);
    target.half_angle = 0.5 * kDegree;
    CHECK(find_shape_fault(target)->member == "half_angle");
    target = concentrator(20.0, 3);
    target.normal = {0, 0.9, 0.1};
    CHECK(find_shape_fault(target)->member == "normal");
}
