// SPDX-License-Identifier: MIT
// Evaluates points, tangents and normals of facets of every shape in the mirror frame.
#include "raytracer/tracing/surface/surface.h"

#include "kernels/surface/analytic.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/surface/bspline.h"
#include "scenario/files/error.h"
#include "scenario/types/components/component_rules.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

Vec3 to_vec3(const kernels::Vec<double>& v) {
    return {v.x, v.y, v.z};
}

void require_shape(const Facet& facet) {
    if (facet.shape == FacetShape::flat) return;
    if (facet.shape == FacetShape::bspline) return check_degrees(facet);
    const std::string place = "facet " + facet.name;
    const double f = facet.focal_length;
    if (!(f > 0)) {
        throw InputError({place,
                          fmt::format("focal length {} m is not positive", f),
                          "its shape does not exist",
                          ""});
    }
    const double half_diagonal = facet_reach(facet);
    if (facet.shape == FacetShape::sphere && half_diagonal >= 2 * f) {
        throw InputError(
            {place,
             fmt::format(
                 "half diagonal {:.6g} m on a sphere of radius {:.6g} m", half_diagonal, 2 * f),
             "the facet reaches beyond its sphere",
             "check focal_length and the canting vectors (half extents)"});
    }
}

FacetPoint spline_point(const Facet& facet, const FacetParameters& uv) {
    const kernels::SurfacePatch<double> patch =
        evaluate_bspline(facet.control_points, facet.num_control_points, facet.degrees, uv);
    FacetPoint result;
    result.point = to_vec3(patch.point);
    result.tangent_u = to_vec3(patch.tangent_u);
    result.tangent_v = to_vec3(patch.tangent_v);
    result.normal = normalized(cross(result.tangent_u, result.tangent_v));
    return result;
}

FacetPoint analytic_point(const Facet& facet, const FacetParameters& uv) {
    const double half_e = norm(facet.canting_e), half_n = norm(facet.canting_n);
    kernels::Vec<double> point, normal;
    kernels::analytic_surface(facet_kind(facet.shape),
                              facet.focal_length,
                              (2 * uv[0] - 1) * half_e,
                              (2 * uv[1] - 1) * half_n,
                              point,
                              normal);
    // The normal is (-dz/dx, -dz/dy, 1).
    FacetPoint result;
    result.point = to_vec3(point);
    result.tangent_u = scaled(2 * half_e, {1, 0, -normal.x});
    result.tangent_v = scaled(2 * half_n, {0, 1, -normal.y});
    result.normal = normalized(to_vec3(normal));
    return result;
}

FacetPoint facet_to_mirror(const Facet& facet,
                           const std::array<Vec3, 3>& axes,
                           const FacetPoint& local) {
    return {along_axes(facet.translation, axes, local.point),
            along_axes({}, axes, local.tangent_u),
            along_axes({}, axes, local.tangent_v),
            along_axes({}, axes, local.normal)};
}

/// Returns `count` values from `first` to 1 - `first`, symmetric about 1/2.
std::vector<double> symmetric_steps(double first, int64_t count) {
    std::vector<double> values;
    const double last = 1 - first;
    const double step = count > 1 ? (last - first) / static_cast<double>(count - 1) : 0.0;
    for (int64_t i = 0; i < count; ++i) {
        values.push_back(2 * i < count ? first + step * static_cast<double>(i)
                                       : last - step * static_cast<double>(count - 1 - i));
    }
    return values;
}

}  // namespace

kernels::FacetKind facet_kind(FacetShape shape) {
    switch (shape) {
        case FacetShape::bspline:
            return kernels::FacetKind::bspline;
        case FacetShape::flat:
            return kernels::FacetKind::flat;
        case FacetShape::paraboloid:
            return kernels::FacetKind::paraboloid;
        case FacetShape::sphere:
            return kernels::FacetKind::sphere;
    }
    throw std::logic_error("unknown shape of a facet");
}

void check_degrees(const Facet& facet) {
    const int64_t degree = std::max(facet.degrees[0], facet.degrees[1]);
    if (facet.shape != FacetShape::bspline || degree <= kernels::kMaxDegree) return;
    throw InputError({"facet " + facet.name,
                      fmt::format("its B-spline has degree {}", degree),
                      fmt::format("degrees above {} are not supported", kernels::kMaxDegree),
                      ""});
}

ControlPointFrame control_point_frame(const Surface& surface) {
    return surface.is_fitted() ? ControlPointFrame::mirror : ControlPointFrame::facet;
}

std::vector<FacetPoint> evaluate_facet(const Facet& facet,
                                       ControlPointFrame frame,
                                       std::span<const FacetParameters> parameters) {
    require_shape(facet);
    const bool is_spline = facet.shape == FacetShape::bspline;
    const bool in_place = is_spline && frame == ControlPointFrame::mirror;
    const std::array<Vec3, 3> axes = canting_axes(facet);
    std::vector<FacetPoint> points;
    points.reserve(parameters.size());
    for (const FacetParameters& uv : parameters) {
        const FacetPoint local = is_spline ? spline_point(facet, uv) : analytic_point(facet, uv);
        points.push_back(in_place ? local : facet_to_mirror(facet, axes, local));
    }
    return points;
}

bool is_in_outline(const Facet& facet, const FacetParameters& uv) {
    const double x = 2.0 * uv[0] - 1.0, y = 2.0 * uv[1] - 1.0;
    const FacetOutline& outline = facet.outline;
    switch (outline.kind) {
        case FacetOutlineKind::rectangle:
            break;
        case FacetOutlineKind::round: {
            const double radius = std::hypot(x, y);
            return radius <= 1.0 && radius >= outline.hole;
        }
        case FacetOutlineKind::polygon:
            for (size_t i = 0; i < outline.corners.size(); ++i) {
                const auto& from = outline.corners[i];
                const auto& to = outline.corners[(i + 1) % outline.corners.size()];
                if ((to[0] - from[0]) * (y - from[1]) < (to[1] - from[1]) * (x - from[0]))
                    return false;
            }
    }
    return true;
}

std::vector<FacetParameters> evaluation_grid(int64_t ne, int64_t nn, double margin) {
    std::vector<FacetParameters> grid;
    const std::vector<double> north = symmetric_steps(margin, nn);
    for (const double u : symmetric_steps(margin, ne)) {
        for (const double v : north) grid.push_back({u, v});
    }
    return grid;
}

}  // namespace helioray
