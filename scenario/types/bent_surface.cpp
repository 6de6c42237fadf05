// SPDX-License-Identifier: MIT
// Interpolates mirrors by elevation or temperature.
#include "scenario/types/bent_surface.h"

#include "scenario/types/type_names.h"
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
    if (a == b) return a;
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

Surface surface_at(const Surface& surface, double value) {
    const std::vector<BentFacets>& rows = surface.bent;
    const auto above = std::ranges::upper_bound(rows, value, {}, &BentFacets::at);
    if (above == rows.begin()) return {rows.front().facets};
    if (above == rows.end()) return {rows.back().facets};
    const BentFacets& low = *(above - 1);
    const double t = (value - low.at) / (above->at - low.at);
    Surface result;
    for (size_t i = 0; i < low.facets.size(); ++i)
        result.facets.push_back(facet_between(low.facets[i], above->facets[i], t));
    return result;
}

std::string find_bending_problem(const Surface& surface) {
    const std::vector<BentFacets>& rows = surface.bent;
    const std::string axis = to_string(surface.bending_axis);
    const bool is_elevation = surface.bending_axis == BendingAxis::elevation;
    if (rows.size() == 1) return fmt::format("there is one {}, and nothing to interpolate", axis);
    // Files may store angles as float32.
    constexpr double kLimit = 0.5 * std::numbers::pi * (1.0 + 1e-6);
    const Range limits = is_elevation ? Range{-kLimit, kLimit} : kTemperatures;
    const std::string range = is_elevation ? "from -pi/2 to pi/2" : limits.sentence();
    for (size_t i = 0; i < rows.size(); ++i) {
        const BentFacets& row = rows[i];
        if (!limits.contains(row.at))
            return fmt::format("the {} {} is not {}", axis, row.at, range);
        if (i > 0 && !(row.at > rows[i - 1].at))
            return fmt::format("the {} {} is not above the one before", axis, row.at);
        if (!std::ranges::equal(row.facets, surface.facets, is_alike))
            return fmt::format(
                "the facets at the {} {} differ from the mirror's in number, "
                "name, shape, control points or outline",
                axis,
                row.at);
    }
    return "";
}

std::string find_rigidity_problem(const Surface& surface) {
    if (surface.is_bent()) return "the mirror bends with its elevation or the temperature";
    const auto is_rectangle = [](const Facet& facet) {
        return facet.outline.kind == FacetOutlineKind::rectangle;
    };
    return std::ranges::all_of(surface.facets, is_rectangle) ? "" : "a facet is not a rectangle";
}

const Heliostat* find_bent_by_temperature(const std::vector<Heliostat>& heliostats) {
    const auto found = std::ranges::find_if(heliostats, [](const Heliostat& heliostat) {
        return heliostat.surface && heliostat.surface->is_bent_by(BendingAxis::temperature);
    });
    return found == heliostats.end() ? nullptr : &*found;
}

Problem missing_temperature(const std::string& heliostat) {
    return {"sun.temperature_c",
            "is missing",
            fmt::format("the mirror of heliostat '{}' changes its shape with the temperature",
                        heliostat),
            "give the temperature of the air in °C; a table of suns may have a column "
            "temperature_c, and weather files have temperatures"};
}

}  // namespace helioray
