// SPDX-License-Identifier: MIT
// Closed bodies of triangles, and rays at their edges and corners.
#pragma once

#include "kernels/core/vec.h"
#include "kernels/mesh/build_mesh.h"
#include "kernels/mesh/meet_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

namespace helioray::test {

using Point = std::array<double, 3>;
using Triangles = std::vector<kernels::MeshCorners>;

inline float single(double x) {
    return static_cast<float>(x);
}

inline kernels::MeshCorners triangle(const Point& a, const Point& b, const Point& c) {
    return {{{single(a[0]), single(a[1]), single(a[2])},
             {single(b[0]), single(b[1]), single(b[2])},
             {single(c[0]), single(c[1]), single(c[2])}}};
}

/// Returns triangles on a grid of columns x rows over a surface; counter-clockwise from outside.
inline Triangles grid(int columns, int rows, const std::function<Point(int column, int row)>& at) {
    Triangles triangles;
    for (int i = 0; i < columns; ++i) {
        for (int j = 0; j < rows; ++j) {
            const Point a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
            triangles.push_back(triangle(a, b, c));
            triangles.push_back(triangle(a, c, d));
        }
    }
    return triangles;
}

/// Returns a closed sphere of 2 n (n - 1) triangles besides those at the poles that have no area.
inline Triangles sphere(int n, double radius) {
    // Columns close exactly, and poles are single points.
    return grid(n, n / 2, [=](int i, int j) {
        const double angle = 2.0 * std::numbers::pi * (i % n) / n;
        const double latitude = std::numbers::pi * (static_cast<double>(j) / (n / 2) - 0.5);
        const bool is_pole = j == 0 || j == n / 2;
        const double across = is_pole ? 0.0 : radius * std::cos(latitude);
        return Point{across * std::cos(angle),
                     across * std::sin(angle),
                     is_pole ? (j == 0 ? -radius : radius) : radius * std::sin(latitude)};
    });
}

/// Returns a closed box of half the size `half`, with n x n squares on each side.
inline Triangles box(int n, double half) {
    Triangles triangles;
    for (size_t axis = 0; axis < 3; ++axis) {
        for (const double side : {-1.0, 1.0}) {
            const Triangles face = grid(n, n, [&](int i, int j) {
                Point at{};
                at[axis] = side * half;
                at[(axis + 1) % 3] = half * (2.0 * i / n - 1.0);
                at[(axis + 2) % 3] = half * (2.0 * j / n - 1.0);
                if (side < 0.0) std::swap(at[(axis + 1) % 3], at[(axis + 2) % 3]);
                return at;
            });
            triangles.insert(triangles.end(), face.begin(), face.end());
        }
    }
    return triangles;
}

/// Returns a closed cylinder of n strips in two rows, with fans of triangles at both ends.
inline Triangles cylinder(int n, double radius, double half) {
    const auto at = [=](int i, double z) {
        const double angle = 2.0 * std::numbers::pi * (i % n) / n;
        return Point{radius * std::cos(angle), radius * std::sin(angle), z};
    };
    Triangles triangles = grid(n, 2, [&](int i, int j) { return at(i, half * (j - 1)); });
    for (int i = 0; i < n; ++i) {
        triangles.push_back(triangle({0, 0, half}, at(i, half), at(i + 1, half)));
        triangles.push_back(triangle({0, 0, -half}, at(i + 1, -half), at(i, -half)));
    }
    return triangles;
}

/// A ray.
struct Ray {
    kernels::Vec<float> from;   ///< beginning, metres
    kernels::Vec<float> along;  ///< unit vector
};

/// Returns the hits of rays of which kTogether at a time descend in a mesh side by side.
template <typename Lanes, int kTogether>
std::vector<kernels::MeshHit> meet_together(const kernels::MeshTree& tree,
                                            const std::vector<Ray>& rays) {
    std::vector<kernels::SearchedRay> searches;
    for (const Ray& ray : rays) searches.emplace_back(ray.from, ray.along);
    kernels::MeshDescent<Lanes, kTogether> descent(tree.view());
    for (size_t first = 0; first < rays.size(); first += kTogether) {
        const size_t count = std::min<size_t>(kTogether, rays.size() - first);
        descent.run(&searches[first], static_cast<int>(count));
    }
    std::vector<kernels::MeshHit> hits;
    for (const kernels::SearchedRay& search : searches) hits.push_back(search.hit());
    return hits;
}

inline Ray ray_to(const Point& from, const Point& to) {
    const Point way{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double length = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    return {{single(from[0]), single(from[1]), single(from[2])},
            {single(way[0] / length), single(way[1] / length), single(way[2] / length)}};
}

/// Makes rays at corners and edges of a body that surrounds [-1, 1]^3, in turns from inside and
/// from outside. Those from outside see both sides of each edge of a convex body of 3 m, so that
/// rounding moves none of them past it.
class EdgeRays {
  public:
    EdgeRays(const Triangles& triangles, uint64_t seed) : triangles_(triangles), random_(seed) {}

    Ray next() {
        const int64_t number = number_++;
        const auto& corners = triangles_[random_() % triangles_.size()];
        const size_t first = random_() % 3;
        const double share = number % 2 == 0 ? 0.0 : 0.5 + 0.5 * even_(random_);
        Point to{};
        for (size_t k = 0; k < 3; ++k)
            to[k] = (1.0 - share) * static_cast<double>(corners[first][k]) +
                    share * static_cast<double>(corners[(first + 1) % 3][k]);
        is_inside_ = number % 4 < 2;
        Point from{even_(random_), even_(random_), even_(random_)};
        if (!is_inside_) {
            for (size_t k = 0; k < 3; ++k) from[k] = 40.0 * to[k] + 60.0 * from[k];
        }
        return ray_to(from, to);
    }
    /// Returns true if the last ray began inside the body.
    bool is_inside() const { return is_inside_; }

  private:
    const Triangles& triangles_;
    std::mt19937_64 random_;
    std::uniform_real_distribution<double> even_{-1.0, 1.0};
    int64_t number_ = 0;
    bool is_inside_ = false;
};

}  // namespace helioray::test
