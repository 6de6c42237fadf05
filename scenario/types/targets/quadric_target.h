// SPDX-License-Identifier: MIT
// A paraboloid, hyperboloid or ellipsoid of revolution, or a ring of one, as target.
#pragma once

#include "scenario/types/targets/area_map.h"
#include "scenario/types/targets/cylinder_target.h"
#include "scenario/types/targets/outline.h"
#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <optional>

namespace helioray {

/// Quadric of revolution about an axis, r^2 = 2 R h - (1 + k) h^2 at the height h above its vertex,
/// with the radius of curvature R and the conic constant k, between two radii. Its bitmap is the
/// view of an observer in front of the vertex, in which distances from the axis are stretched so
/// that all pixels have the same area on the surface.
struct QuadricTarget {
    using Side = CylindricalTarget::Side;  ///< lit side: outer is the convex, inner the concave one

    Vec3 center{};                  ///< vertex, metres, ENU
    Vec3 axis{0, 0, 1};             ///< unit vector from the vertex into the concave side
    double curvature_radius = 0.0;  ///< radius of curvature at the vertex, metres
    /// -1: paraboloid; below: hyperboloid, above: ellipsoid (0: sphere); minus the square of the
    /// eccentricity for those with two foci on the axis.
    double conic_constant = -1.0;
    double radius = 0.0;        ///< radius of the outer rim about the axis, metres
    double inner_radius = 0.0;  ///< radius of a hole about the axis, metres; 0: none
    Side side = Side::outer;    ///< lit side
    bool operator==(const QuadricTarget&) const = default;

    static constexpr const char* kKind = "quadric";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_quadric";
    static constexpr bool kIsFlat = false;       ///< see PlanarTarget
    static constexpr bool kStandsAlone = false;  ///< only surfaces of receivers have this shape

    /// Visits all members, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "center", Kind::point}, shape.center);
        visit(TargetMember{"axis", "axis", Kind::direction}, shape.axis);
        visit(TargetMember{"curvature_radius", "curvature_radius", Kind::length},
              shape.curvature_radius);
        visit(TargetMember{"conic_constant", "conic_constant", Kind::number}, shape.conic_constant);
        visit(TargetMember{"radius", "radius", Kind::length}, shape.radius);
        visit(TargetMember{"inner_radius", "inner_radius", Kind::length_or_zero},
              shape.inner_radius);
        visit(TargetMember{"side", "side", Kind::choice}, shape.side);
    }
};

/// Returns a quadric with its vertex and both foci on one line, the first one in the concave side
/// next to the vertex: a hyperboloid if the vertex lies between them, otherwise an ellipsoid.
QuadricTarget quadric_with_foci(const Vec3& vertex, const Vec3& near_focus, const Vec3& far_focus);

/// Returns the height of a point at a distance from the axis, metres.
double height_above_vertex(const QuadricTarget& quadric, double radius);

/// Returns the slope of the surface against a plane across the axis, at a distance from the axis.
double slope_at(const QuadricTarget& quadric, double radius);

/// Returns the area of the surface, m2.
double shape_area(const QuadricTarget& quadric);

/// Returns the area of the part of a surface without a hole that is within an outline across its
/// axis, m2.
double shape_area(const QuadricTarget& quadric, const Outline& outline);

/// Returns the edges of the square bitmap, metres: twice the radius of a plane ring with the same
/// inner radius and area.
std::array<double, 2> shape_extent(const QuadricTarget& quadric);

/// Returns the factor from points, metres from the axis, to the bitmap as a polynomial in the
/// square of their distance from the axis in radii.
std::array<double, kMapCoefficients> map_polynomial(const QuadricTarget& quadric);

/// Describes the quadric for users.
TargetWords describe_shape(const QuadricTarget& quadric);

/// Returns the first contradiction between the members of the quadric.
std::optional<ShapeFault> find_shape_fault(const QuadricTarget& quadric);

/// Returns unit axes: z along the axis, y up in the plane through the vertex as for flat targets,
/// x = y cross z.
std::array<Vec3, 3> compute_axes(const QuadricTarget& quadric);

/// Returns the point of the surface in the frame of these axes, relative to the vertex, at (x, y)
/// metres from the middle of the bitmap for an observer who faces the lit side. Points beside the
/// surface move to its rim.
Vec3 point_in_frame(const QuadricTarget& quadric, double x, double y);

/// Returns the place on the bitmap of a point in the frame: the inverse of point_in_frame().
std::array<double, 2> place_on_map(const QuadricTarget& quadric, const Vec3& point);

/// Returns the vertex; with a hole, the point of its rim that is highest on the bitmap.
Vec3 default_aim_point(const QuadricTarget& quadric);

/// Returns the same, wherever the heliostat is.
Vec3 default_aim_point(const QuadricTarget& quadric, const Vec3& from);

/// Returns the unit normal of the lit side at a point of the surface.
Vec3 lit_normal(const QuadricTarget& quadric, const Vec3& point);

}  // namespace helioray
