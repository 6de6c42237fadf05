// SPDX-License-Identifier: MIT
// Computes the outline of a mirror and places it in the field.
#include "raytracer/tracing/job/mirror_outline.h"

#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

bool has_outlines(const Surface& surface) {
    return std::ranges::any_of(surface.facets, [](const Facet& facet) {
        return facet.outline.kind != FacetOutlineKind::rectangle;
    });
}

std::vector<std::vector<Vec3>> facet_polygons(const Facet& facet) {
    const auto at = [&](double x, double y) {
        return add_scaled(add_scaled(facet.translation, x, facet.canting_e), y, facet.canting_n);
    };
    std::vector<Vec3> corners;
    constexpr int kSides = 48;
    const auto on_circle = [&](int side, double radius) {
        const double angle = 2.0 * std::numbers::pi * side / kSides;
        return at(radius * std::cos(angle), radius * std::sin(angle));
    };
    switch (facet.outline.kind) {
        case FacetOutlineKind::rectangle:
            return {{at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)}};
        case FacetOutlineKind::polygon:
            for (const auto& [x, y] : facet.outline.corners) corners.push_back(at(x, y));
            return {corners};
        case FacetOutlineKind::round:
            break;
    }
    const double hole = facet.outline.hole;
    if (hole == 0.0) {
        for (int side = 0; side < kSides; ++side) corners.push_back(on_circle(side, 1.0));
        return {corners};
    }
    std::vector<std::vector<Vec3>> ring;
    for (int side = 0; side < kSides; ++side)
        ring.push_back({on_circle(side, hole),
                        on_circle(side, 1.0),
                        on_circle(side + 1, 1.0),
                        on_circle(side + 1, hole)});
    return ring;
}

Vec3 point_in_field(const HeliostatResult& heliostat, const Vec3& p) {
    const auto& m = heliostat.orientation;
    Vec3 point{};
    for (size_t i = 0; i < 3; ++i)
        point[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
    return point;
}

std::array<Vec3, 4> outline_in_field(const HeliostatResult& heliostat) {
    std::array<Vec3, 4> corners = heliostat.mirror_outline.value();
    for (Vec3& corner : corners) corner = point_in_field(heliostat, corner);
    return corners;
}

}  // namespace helioray
