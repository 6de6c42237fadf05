// SPDX-License-Identifier: MIT
// Computes the outlines of obstacles as seen from above.
#include "app/output/plot/maps/footprint.h"

#include "raytracer/tracing/geometry/body_mesh.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace helioray {

namespace {

using Point = std::array<double, 2>;

double turn(const Point& a, const Point& b, const Point& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// Returns the convex hull, anticlockwise (monotone chain of A. M. Andrew, 1979).
std::vector<Point> hull(std::vector<Point> points) {
    std::ranges::sort(points);
    std::vector<Point> corners;
    const auto add = [&](const Point& point, std::size_t fixed) {
        while (corners.size() >= fixed + 2 &&
               turn(corners[corners.size() - 2], corners.back(), point) <= 0.0)
            corners.pop_back();
        corners.push_back(point);
    };
    for (const Point& point : points) add(point, 0);
    const std::size_t lower = corners.size() - 1;
    for (std::size_t i = points.size() - 1; i-- > 0;) add(points[i], lower);
    corners.pop_back();
    return corners;
}

}  // namespace

std::vector<std::array<double, 2>> footprint(const ObstacleConfig& obstacle) {
    const auto [bottom, top] = body_ends(obstacle);
    const bool is_box = std::holds_alternative<BoxObstacle>(obstacle.shape);
    std::vector<Point> corners;
    for (const Vec3& corner : bottom) corners.push_back({corner[0], corner[1]});
    if (is_box) return corners;
    for (const Vec3& corner : top) corners.push_back({corner[0], corner[1]});
    return hull(std::move(corners));
}

}  // namespace helioray
