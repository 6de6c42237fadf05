// SPDX-License-Identifier: MIT
// Reads surfaces: facets as B-splines or as simple shapes.
#include "scenario/reader/sections.h"
#include "scenario/types/bent_surface.h"
#include "scenario/types/components/component_rules.h"
#include "scenario/types/type_names.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

// Reads the half-extent vectors of the two edges.
void read_canting(const Fields& fields, Facet& facet) {
    const auto array = fields.array("canting", 2);
    if (!array) return;
    const size_t columns = array->shape[1];
    if (array->shape[0] != 2 || (columns != 3 && columns != 4)) {
        fields.log().problem(
            fields.where("canting"),
            fmt::format("has shape {}, expected (2, 4)", hdf5::to_string(array->shape)));
        return;
    }
    for (size_t i = 0; i < 3; ++i) {
        facet.canting_e[i] = array->values[i];
        facet.canting_n[i] = array->values[columns + i];
    }
    if (!spans_area(facet)) {
        fields.log().problem(fields.where("canting"),
                             "its two vectors are zero or parallel",
                             "they are the half extents of the facet along its edges");
    }
}

// Reads the degrees. Degrees that cannot be read are 0, in which case the number of control points
// is not checked.
void read_degrees(const Fields& fields, Facet& facet) {
    facet.degrees = {0, 0};
    const auto degrees = fields.numbers("degrees", {2});
    if (!degrees) return;
    for (size_t i = 0; i < 2; ++i) {
        const double degree = (*degrees)[i];
        if (!is_spline_degree(degree)) {
            fields.log().problem(fields.where("degrees"),
                                 fmt::format("{} is not a spline degree", degree),
                                 "",
                                 "use integers from 1 on");
            facet.degrees = {0, 0};
            return;
        }
        facet.degrees[i] = static_cast<int64_t>(degree);
    }
}

void read_control_points(const Fields& fields, Facet& facet) {
    auto points = fields.array("control_points", 3);
    if (!points) return;
    if (points->shape[2] != 3) {
        fields.log().problem(
            fields.where("control_points"),
            fmt::format("has shape {}, expected (nu, nv, 3)", hdf5::to_string(points->shape)));
        return;
    }
    facet.control_points = std::move(points->values);
    for (size_t i = 0; i < 2; ++i) {
        facet.num_control_points[i] = static_cast<int64_t>(points->shape[i]);
        if (facet.num_control_points[i] <= facet.degrees[i]) {
            fields.log().problem(fields.where("control_points"),
                                 fmt::format("has {} points along axis {} for degree {}",
                                             facet.num_control_points[i],
                                             i,
                                             facet.degrees[i]),
                                 "a spline needs more points than its degree");
        }
    }
}

void read_focal_length(const Fields& fields, Facet& facet) {
    facet.focal_length = fields.positive("focal_length").value_or(1e9);
    if (!fits_its_sphere(facet)) {
        const double reach = facet_reach(facet);
        fields.log().problem(fields.where("focal_length"),
                             fmt::format("is {}, half the radius of a sphere", facet.focal_length),
                             "the facet's half diagonal of " + fmt::format("{:.6g} m", reach) +
                                 " is larger than that radius");
    }
}

void read_outline(const Fields& fields, Facet& facet) {
    FacetOutline& outline = facet.outline;
    outline.kind = fields.choice<FacetOutlineKind>("outline").value_or(FacetOutlineKind::rectangle);
    std::string source = "outline";
    if (outline.kind == FacetOutlineKind::round && fields.contains("outline_hole")) {
        source = "outline_hole";
        outline.hole = fields.number(source).value_or(0.0);
    } else if (outline.kind == FacetOutlineKind::polygon) {
        source = "outline_corners";
        const auto corners = fields.array(source, 2);
        if (!corners) return;
        if (corners->shape[1] != 2) {
            fields.log().problem(
                fields.where(source),
                fmt::format("has shape {}, expected (n, 2)", hdf5::to_string(corners->shape)));
            return;
        }
        for (size_t i = 0; i < corners->shape[0]; ++i)
            outline.corners.push_back({corners->values[2 * i], corners->values[2 * i + 1]});
    }
    if (const auto fault = make_valid(outline)) {
        const std::string corner = fault->corner ? fmt::format("[{}]", *fault->corner) : "";
        fields.log().problem(fields.where(source) + corner, fault->what, fault->why, fault->advice);
    }
}

void read_slope_deviation(const Fields& fields, Facet& facet) {
    constexpr auto kCells = static_cast<size_t>(Facet::kDeviationsAlongEdge);
    auto deviation = fields.array("slope_deviation", 3);
    if (!deviation) return;
    const std::vector<size_t> expected{kCells, kCells, 2};
    if (!std::equal(
            deviation->shape.begin(), deviation->shape.end(), expected.begin(), expected.end())) {
        fields.log().problem(fields.where("slope_deviation"),
                             fmt::format("has shape {}, expected {}",
                                         hdf5::to_string(deviation->shape),
                                         hdf5::to_string(expected)));
        return;
    }
    facet.slope_deviation = std::move(deviation->values);
}

Facet read_facet(const std::string& name, const hdf5::Group& group, ReadLog& log) {
    const Fields fields(group, log);
    Facet facet;
    facet.name = name;
    if (fields.contains("shape")) {
        facet.shape = fields.choice<FacetShape>("shape").value_or(FacetShape::bspline);
    }
    facet.translation = fields.vector("position").value_or(Vec3{});
    read_canting(fields, facet);
    if (fields.contains("outline")) read_outline(fields, facet);
    const bool is_spline = facet.shape == FacetShape::bspline;
    if (is_spline || fields.contains("degrees")) read_degrees(fields, facet);
    if (is_spline || fields.contains("control_points")) read_control_points(fields, facet);
    if (facet.shape == FacetShape::paraboloid || facet.shape == FacetShape::sphere) {
        read_focal_length(fields, facet);
    }
    if (fields.contains("slope_deviation")) read_slope_deviation(fields, facet);
    fields.warn_of_unread();
    return facet;
}

std::vector<Facet> read_facets(const hdf5::Group& group, ReadLog& log) {
    std::vector<Facet> read;
    log.attempt([&] {
        const hdf5::Group facets = group.group("facets");
        const std::vector<std::string> names = facets.names();
        if (names.empty()) log.problem(facets.where(), "there is no facet", "one is needed");
        for (const std::string& name : names) {
            log.attempt([&] { read.push_back(read_facet(name, facets.group(name), log)); });
        }
    });
    return read;
}

}  // namespace

Surface read_surface(const hdf5::Group& group, ReadLog& log) {
    Surface surface;
    surface.facets = read_facets(group, log);
    for (const BendingAxis axis : kBendingAxes) {
        const std::string name = to_string(axis), rows_name = "by_" + name;
        if (!group.contains(rows_name)) continue;
        if (surface.is_bent()) {
            log.problem(group.where_of(rows_name),
                        fmt::format("is given beside by_{}", to_string(surface.bending_axis)),
                        "the shape of a mirror changes with one quantity");
            continue;
        }
        surface.bending_axis = axis;
        log.attempt([&] {
            const hdf5::Group rows = group.group(rows_name);
            for (const std::string& row_name : rows.names()) {
                const hdf5::Group row = rows.group(row_name);
                surface.bent.push_back(
                    {Fields(row, log).number(name).value_or(0.0), read_facets(row, log)});
            }
            std::ranges::stable_sort(surface.bent, {}, &BentFacets::at);
            const std::string problem = find_bending_problem(surface);
            if (!problem.empty() && !log.has_problems())
                log.problem(rows.where(),
                            problem,
                            axis == BendingAxis::elevation
                                ? "the facets are interpolated between the elevations, in radians"
                                : "the facets are interpolated between the temperatures, in °C");
        });
    }
    return surface;
}

}  // namespace helioray
