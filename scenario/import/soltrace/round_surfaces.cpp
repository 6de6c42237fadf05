// SPDX-License-Identifier: MIT
// Converts conics, cones and splines of receivers and secondary mirrors.
#include "scenario/import/soltrace/round_surfaces.h"

#include "scenario/files/units.h"
#include "scenario/import/soltrace/heights.h"
#include "scenario/types/targets/plane_target.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::soltrace {

namespace {

/// Largest distance of a spline's points from a concentrator's wall, in exit radii.
constexpr double kWallTolerance = 2e-3;

/// Curvature in 1/m and SolTrace's constant of a conic of revolution: 1 plus the conic constant.
struct Conic {
    double curvature = 0.0, k = 0.0;
};

/// Returns the conic of revolution of an element; no value for other surfaces.
std::optional<Conic> find_conic(const Element& element) {
    const auto& values = element.surface_values;
    const bool is_round = has_equal_curvatures(element);
    switch (element.surface) {
        case 's':
            return Conic{values[0], 1.0};
        case 'o':
            return Conic{values[0], values[1]};
        case 'p':
            if (is_round) return Conic{values[0], 0.0};
            return std::nullopt;
        case 'g':
            if (is_round) return Conic{values[0], values[2]};
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

QuadricTarget make_quadric(const Conic& conic, const Radii& radii, const Frame& frame) {
    QuadricTarget quadric;
    quadric.center = frame.origin;
    quadric.axis = scaled(conic.curvature > 0.0 ? 1.0 : -1.0, front_normal(frame));
    quadric.curvature_radius = 1.0 / std::abs(conic.curvature);
    quadric.conic_constant = conic.k - 1.0;
    quadric.radius = radii.outer;
    quadric.inner_radius = radii.inner;
    quadric.side = conic.curvature > 0.0 ? QuadricTarget::Side::inner : QuadricTarget::Side::outer;
    return quadric;
}

/// Returns the corners of an aperture as the outline of a target that the element's front lights.
Outline make_outline(const Outline& corners, const Frame& frame) {
    const auto axes = flat_axes(front_normal(frame));
    Outline outline;
    for (const auto& [x, y] : corners) {
        const Vec3 corner = frame.direction({x, y, 0.0});
        outline.push_back({dot(corner, axes[0]), dot(corner, axes[1])});
    }
    return outline;
}

/// Returns the radii of a circle around all corners.
Radii radii_around(const Outline& corners) {
    Radii radii;
    for (const auto& [x, y] : corners) radii.outer = std::max(radii.outer, std::hypot(x, y));
    return radii;
}

ConicalTarget make_cone(double half_angle, const Radii& radii, const Frame& frame) {
    const double rise = 1.0 / std::tan(half_angle);  // along z per radius
    ConicalTarget cone;
    cone.center = frame.point({0.0, 0.0, 0.5 * rise * (radii.inner + radii.outer)});
    cone.axis = scaled(rise > 0.0 ? 1.0 : -1.0, frame.axes[2]);
    cone.normal = frame.axes[1];
    cone.bottom_radius = radii.inner;
    cone.top_radius = radii.outer;
    cone.height = std::abs(rise) * (radii.outer - radii.inner);
    cone.side = rise > 0.0 ? ConicalTarget::Side::inner : ConicalTarget::Side::outer;
    return cone;
}

/// Returns the largest distance of a spline's points from a concentrator's wall, metres.
double wall_distance(const RadialSpline& spline, const ConcentratorTarget& wall) {
    double largest = 0.0;
    for (const auto& [radius, height] : spline.points)
        largest =
            std::max(largest, std::abs(wall_radius(wall, height - spline.points[0][1]) - radius));
    return largest;
}

/// Returns the concentrator on whose wall the points of a spline lie; no value if there is none.
std::optional<ConcentratorTarget> find_concentrator(const RadialSpline& spline) {
    const auto& first = spline.points.front();
    const auto& last = spline.points.back();
    if (!(first[0] > 0.0) || !(last[1] > first[1])) return std::nullopt;
    ConcentratorTarget wall;
    wall.exit_radius = first[0];
    const auto distance = [&](double angle) {
        wall.half_angle = angle;
        return wall_distance(spline, wall);
    };
    // The distance has one minimum in the half angle.
    double low = 1.0 * kRadiansPerDegree, high = 85.0 * kRadiansPerDegree;
    while (high - low > 1e-9) {
        const double third = (high - low) / 3.0;
        if (distance(low + third) < distance(high - third))
            high -= third;
        else
            low += third;
    }
    if (!(distance(0.5 * (low + high)) <= kWallTolerance * wall.exit_radius)) return std::nullopt;
    wall.length = std::min(last[1] - first[1], full_length(wall.exit_radius, wall.half_angle));
    return wall;
}

/// Sets the target to a concentrator, or to one of four flat sides for a section.
bool convert_spline(const Project& project,
                    const Element& element,
                    const Frame& frame,
                    const Findings& findings,
                    Target& target) {
    RadialSpline spline;
    try {
        spline = read_spline(surface_file(project, element));
    } catch (const InputError& error) {
        for (const Problem& problem : error.problems()) findings.unreadable(element, problem);
        return false;
    }
    auto wall = find_concentrator(spline);
    const bool is_side = element.aperture == 'l';
    if (!wall || (!is_side && !aperture_radii(element))) {
        findings.unsupported(
            element,
            wall ? fmt::format("its surface is a concentrator whose aperture is {}, not a full "
                               "annulus or a section",
                               aperture_name(element.aperture))
                 : "its surface is a cubic spline whose points are not those of a compound "
                   "parabolic concentrator");
        return false;
    }
    wall->center = frame.point({0.0, 0.0, spline.points.front()[1]});
    wall->axis = frame.axes[2];
    wall->normal = is_side ? frame.axes[0] : frame.axes[1];
    if (is_side) wall->opening_angle = 0.5 * std::numbers::pi;
    findings.remark(element.line,
                    fmt::format("its spline is {} of half angle {:.2f} degrees; the points are at "
                                "most {:.2g} mm beside it",
                                is_side ? "one of four sides of a concentrator" : "a concentrator",
                                wall->half_angle / kRadiansPerDegree,
                                1e3 * wall_distance(spline, *wall)));
    target.geometry = *wall;
    return true;
}

}  // namespace

bool convert_round(const Project& project,
                   const Element& element,
                   const Frame& frame,
                   bool is_mirror,
                   const Findings& findings,
                   Target& target) {
    const auto refuse = [&](const std::string& what) {
        findings.unsupported(element, what);
        return false;
    };
    if (element.surface == 'i') return convert_spline(project, element, frame, findings, target);
    const auto conic = find_conic(element);
    const std::string name = surface_name(element.surface);
    if (!conic && element.surface != 'c')
        return refuse(
            fmt::format("its surface is {}; receivers and secondary mirrors are flat, "
                        "cylinders, cones, conics of revolution or concentrators",
                        name));
    auto radii = aperture_radii(element);
    const auto corners = aperture_corners(element);
    if (!radii && conic && is_mirror && corners) {
        radii = radii_around(*corners);
        target.outline = make_outline(*corners, frame);
        if (const auto fault = make_convex(target.outline))
            return refuse(fmt::format(
                "its aperture is {}: {}", aperture_name(element.aperture), fault->what));
    }
    if (!radii)
        return refuse(
            fmt::format("its surface is {} and its aperture {}; curved receivers are round, and "
                        "secondary mirrors that are conics are round or convex polygons",
                        name,
                        aperture_name(element.aperture)));
    if (!(radii->inner >= 0.0) || !(radii->outer > radii->inner))
        return refuse(fmt::format("its aperture is {} from {} to {} m",
                                  aperture_name(element.aperture),
                                  radii->inner,
                                  radii->outer));
    const double half_angle = element.surface_values[0] * kRadiansPerDegree;
    if (!conic && (!(half_angle > 0.0 && half_angle < std::numbers::pi) ||
                   std::abs(std::cos(half_angle)) < 1e-6))
        return refuse(
            fmt::format("it is a cone with a half angle of {} degrees", element.surface_values[0]));
    if (conic)
        target.geometry = make_quadric(*conic, *radii, frame);
    else
        target.geometry = make_cone(half_angle, *radii, frame);
    const auto fault = std::visit(
        []<typename Shape>(const Shape& shape) -> std::optional<ShapeFault> {
            if constexpr (requires { find_shape_fault(shape); }) return find_shape_fault(shape);
            return std::nullopt;
        },
        target.geometry);
    if (fault) return refuse(fmt::format("its {} {}", fault->member, fault->what));
    return true;
}

}  // namespace helioray::soltrace
