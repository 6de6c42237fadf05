// SPDX-License-Identifier: MIT
// Computes the outline of a mirror and places it in the field.
#include "raytracer/tracing/job/mirror_outline.h"

#include <algorithm>
#include <limits>

namespace helioray {

std::array<Vec3, 4> mirror_outline(const Surface& surface) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::array<double, 2> low{kInfinity, kInfinity};
    std::array<double, 2> high{-kInfinity, -kInfinity};
    double height = 0.0;
    for (const Facet& facet : surface.facets) {
        for (size_t axis = 0; axis < 2; ++axis) {
            const double reach = std::abs(facet.canting_e[axis]) + std::abs(facet.canting_n[axis]);
            low[axis] = std::min(low[axis], facet.translation[axis] - reach);
            high[axis] = std::max(high[axis], facet.translation[axis] + reach);
        }
        height += facet.translation[2] / static_cast<double>(surface.facets.size());
    }
    return {Vec3{low[0], low[1], height},
            Vec3{high[0], low[1], height},
            Vec3{high[0], high[1], height},
            Vec3{low[0], high[1], height}};
}

Vec3 mirror_origin(const HeliostatResult& heliostat) {
    const auto& m = heliostat.orientation;
    return {m[3], m[7], m[11]};
}

std::array<Vec3, 4> outline_in_field(const HeliostatResult& heliostat) {
    const auto& m = heliostat.orientation;
    std::array<Vec3, 4> corners = heliostat.mirror_outline.value();
    for (Vec3& corner : corners) {
        const Vec3 p = corner;
        for (size_t i = 0; i < 3; ++i) {
            corner[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
        }
    }
    return corners;
}

}  // namespace helioray
