// SPDX-License-Identifier: MIT
// Interpolates mirrors by elevation.
#include "scenario/types/bent_surface.h"

#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

double between(double a, double b, double t) {
    return a + t * (b - a);
}

Vec3 between(const Vec3& a, const Vec3& b, double t) {
    return {between(a[0], b[0], t), between(a[1], b[1], t), between(a[2], b[2], t)};
}

/// Interpolates direction and length, so that a turned edge keeps its length.
Vec3 edge_between(const Vec3& a, const Vec3& b, double t) {
    return scaled(between(norm(a), norm(b), t), normalized(between(a, b, t)));
}

Facet facet_between(const Facet& a, const Facet& b, double t) {
    Facet facet = a;
    if (a.shape == FacetShape::paraboloid || a.shape == FacetShape::sphere)
        facet.focal_length = 1.0 / between(1.0 / a.focal_length, 1.0 / b.focal_length, t);
    facet.translation = between(a.translation, b.translation, t);
    facet.canting_e = edge_between(a.canting_e, b.canting_e, t);
    facet.canting_n = edge_between(a.canting_n, b.canting_n, t);
    for (size_t i = 0; i < facet.control_points.size(); ++i)
        facet.control_points[i] = between(a.control_points[i], b.control_points[i], t);
    return facet;
}

bool is_alike(const Facet& a, const Facet& b) {
    return a.name == b.name && a.shape == b.shape && a.degrees == b.degrees &&
           a.num_control_points == b.num_control_points &&
           a.control_points.size() == b.control_points.size() && a.outline == b.outline;
}

}  // namespace

Surface surface_at(const Surface& surface, double elevation) {
    const std::vector<ElevatedFacets>& rows = surface.by_elevation;
    const auto above = std::ranges::upper_bound(rows, elevation, {}, &ElevatedFacets::elevation);
    if (above == rows.begin()) return {rows.front().facets};
    if (above == rows.end()) return {rows.back().facets};
    const ElevatedFacets& low = *(above - 1);
    const double t = (elevation - low.elevation) / (above->elevation - low.elevation);
    Surface result;
    for (size_t i = 0; i < low.facets.size(); ++i)
        result.facets.push_back(facet_between(low.facets[i], above->facets[i], t));
    return result;
}

std::string find_bending_problem(const Surface& surface) {
    const std::vector<ElevatedFacets>& rows = surface.by_elevation;
    if (rows.size() == 1) return "there is one elevation, and nothing to interpolate";
    // Files may store angles as float32.
    constexpr double kLimit = 0.5 * std::numbers::pi * (1.0 + 1e-6);
    for (size_t i = 0; i < rows.size(); ++i) {
        const ElevatedFacets& row = rows[i];
        if (!(std::abs(row.elevation) <= kLimit))
            return fmt::format("the elevation {} is not from -pi/2 to pi/2", row.elevation);
        if (i > 0 && !(row.elevation > rows[i - 1].elevation))
            return fmt::format("the elevation {} is not above the one before", row.elevation);
        if (!std::ranges::equal(row.facets, surface.facets, is_alike))
            return fmt::format(
                "the facets at the elevation {} differ from the mirror's in number, "
                "name, shape, control points or outline",
                row.elevation);
    }
    return "";
}

}  // namespace helioray
