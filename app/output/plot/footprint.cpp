// SPDX-License-Identifier: MIT
// Computes the outlines of obstacles as seen from above.
#include "app/output/plot/footprint.h"

#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
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

std::vector<Point> outline(const BoxObstacle& box) {
    const double sine = std::sin(box.azimuth);
    const double cosine = std::cos(box.azimuth);
    std::vector<Point> corners;
    for (const auto& [right, ahead] :
         {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
        const double x = right * box.size[0];
        const double y = ahead * box.size[1];
        corners.push_back(
            {box.center[0] + cosine * x + sine * y, box.center[1] - sine * x + cosine * y});
    }
    return corners;
}

std::vector<Point> outline(const CylinderObstacle& cylinder) {
    // A circle across the axis, at both ends.
    const Vec3 level = std::hypot(cylinder.axis[0], cylinder.axis[1]) > 1e-9
                           ? normalized(Vec3{-cylinder.axis[1], cylinder.axis[0], 0.0})
                           : Vec3{1.0, 0.0, 0.0};
    const Vec3 other = cross(cylinder.axis, level);
    std::vector<Point> points;
    constexpr int kCorners = 48;
    for (int i = 0; i < kCorners; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / kCorners;
        const Vec3 rim = add(cylinder.base,
                             add(scaled(cylinder.radius * std::cos(angle), level),
                                 scaled(cylinder.radius * std::sin(angle), other)));
        const Vec3 end = add(rim, scaled(cylinder.height, cylinder.axis));
        points.push_back({rim[0], rim[1]});
        points.push_back({end[0], end[1]});
    }
    return hull(std::move(points));
}

}  // namespace

std::vector<std::array<double, 2>> footprint(const ObstacleConfig& obstacle) {
    return std::visit([](const auto& shape) { return outline(shape); }, obstacle.shape);
}

}  // namespace helioray
