// SPDX-License-Identifier: MIT
// Convex polygons in a plane: the exact shadow of one rectangle on another.
#pragma once

#include <array>
#include <cmath>
#include <vector>

namespace helioray::test {

using Point = std::array<double, 2>;
using Polygon = std::vector<Point>;

inline double signed_area(const Polygon& polygon) {
    double sum = 0.0;
    for (size_t i = 0; i < polygon.size(); ++i) {
        const Point& a = polygon[i];
        const Point& b = polygon[(i + 1) % polygon.size()];
        sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    return sum;
}

inline double area(const Polygon& polygon) {
    return std::abs(signed_area(polygon));
}

/// The part of a polygon where a x + b y <= c.
inline Polygon clip(const Polygon& polygon, double a, double b, double c) {
    Polygon result;
    for (size_t i = 0; i < polygon.size(); ++i) {
        const Point& p = polygon[i];
        const Point& q = polygon[(i + 1) % polygon.size()];
        const double dp = a * p[0] + b * p[1] - c;
        const double dq = a * q[0] + b * q[1] - c;
        if (dp <= 0.0) result.push_back(p);
        if ((dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0)) {
            const double t = dp / (dp - dq);
            result.push_back({p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])});
        }
    }
    return result;
}

/// The part of a polygon inside a convex one of either sense.
inline Polygon intersection(Polygon polygon, const Polygon& window) {
    const double sense = signed_area(window) > 0.0 ? 1.0 : -1.0;
    for (size_t i = 0; i < window.size(); ++i) {
        const Point& p = window[i];
        const Point& q = window[(i + 1) % window.size()];
        const double a = sense * (q[1] - p[1]);
        const double b = sense * (p[0] - q[0]);
        polygon = clip(polygon, a, b, a * p[0] + b * p[1]);
    }
    return polygon;
}

}  // namespace helioray::test
