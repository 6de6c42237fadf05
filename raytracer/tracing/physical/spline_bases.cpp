// SPDX-License-Identifier: MIT
// Basis functions of B-spline facets, shared by facets with the same number of control points.
#include "raytracer/tracing/physical/spline_bases.h"

#include "raytracer/tracing/surface/surface.h"

#include <algorithm>

namespace helioray::physical {

namespace {

std::array<int64_t, 4> make_key(const Facet& facet) {
    return {facet.num_control_points[0],
            facet.num_control_points[1],
            facet.degrees[0],
            facet.degrees[1]};
}

}  // namespace

SplineBases::SplineBases(std::span<const Surface* const> surfaces) {
    for (const Surface* surface : surfaces) {
        for (const Facet& facet : surface->facets) {
            const std::array<int64_t, 4> key = make_key(facet);
            if (facet.shape != FacetShape::bspline || bases_.contains(key) ||
                std::max(key[2], key[3]) > kernels::kMaxDegree) {
                continue;
            }
            bases_.try_emplace(key,
                               static_cast<int>(key[0]),
                               static_cast<int>(key[1]),
                               static_cast<int>(key[2]),
                               static_cast<int>(key[3]));
        }
    }
}

const kernels::SplineFacets& SplineBases::find(const Facet& facet) const {
    check_degrees(facet);
    return bases_.at(make_key(facet));
}

}  // namespace helioray::physical
