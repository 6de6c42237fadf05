// SPDX-License-Identifier: MIT
// A compound parabolic concentrator, round or one of its flat sides, as target.
#pragma once

#include "scenario/types/targets/area_map.h"
#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <numbers>
#include <optional>

namespace helioray {

/// Wall of a compound parabolic concentrator (CPC) from its exit to its entry, lit from inside. A
/// parabola whose axis is tilted by the half angle turns about the axis, or runs along the edges of
/// a regular polygon, of which this is one side. Its bitmap is unrolled: columns are angles, or
/// parts of the side's width, rows are rings of equal area.
struct ConcentratorTarget {
    Vec3 center{};       ///< centre of the exit, metres, ENU
    Vec3 axis{0, 0, 1};  ///< unit vector along the axis, from the exit to the entry
    /// Unit vector from the axis to the middle of the bitmap, perpendicular to the axis.
    Vec3 normal{0, 1, 0};
    double half_angle = 0.0;   ///< half angle of acceptance, radians
    double exit_radius = 0.0;  ///< distance of the wall from the axis at the exit, metres
    double length = 0.0;       ///< from the exit to the entry, metres
    /// Angle that the wall takes around the axis, radians: 2 pi for a round one, 2 pi / n for one
    /// of n flat sides.
    double opening_angle = 2.0 * std::numbers::pi;
    bool operator==(const ConcentratorTarget&) const = default;

    static constexpr const char* kKind = "concentrator";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_concentrator";
    static constexpr bool kIsFlat = false;       ///< see PlanarTarget
    static constexpr bool kStandsAlone = false;  ///< only surfaces of receivers have this shape

    /// Visits all members, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "center", Kind::point}, shape.center);
        visit(TargetMember{"axis", "axis", Kind::direction}, shape.axis);
        visit(TargetMember{"normal", "normal", Kind::direction}, shape.normal);
        visit(TargetMember{"half_angle", "half_angle", Kind::angle}, shape.half_angle);
        visit(TargetMember{"exit_radius", "exit_radius", Kind::length}, shape.exit_radius);
        visit(TargetMember{"length", "length", Kind::length}, shape.length);
        visit(TargetMember{"opening_angle", "opening_angle", Kind::angle}, shape.opening_angle);
    }
};

/// Returns the length of the untruncated concentrator, metres: r (1 + 1 / sin t) / tan t.
double full_length(double exit_radius, double half_angle);

/// Returns the distance of the wall from the axis at a height above the exit, metres.
double wall_radius(const ConcentratorTarget& concentrator, double height);

/// Returns the tangent of half the angle of a flat side; 0 for a round concentrator.
double side_tangent(const ConcentratorTarget& concentrator);

/// Returns the extent of the unrolled surface, metres: mean width, and length of the wall from the
/// exit to the entry. Their product is the area.
std::array<double, 2> shape_extent(const ConcentratorTarget& concentrator);

/// Returns the fraction of the area below a point as a polynomial in its parameter, 0 at the exit
/// and 1 at the entry, see kernels::ConcentratorProfile.
std::array<double, kMapCoefficients> map_polynomial(const ConcentratorTarget& concentrator);

/// Describes the concentrator for users.
TargetWords describe_shape(const ConcentratorTarget& concentrator);

/// Returns the first contradiction between the members of the concentrator.
std::optional<ShapeFault> find_shape_fault(const ConcentratorTarget& concentrator);

/// Returns unit axes: z along the axis, y the normal, x = y cross z.
std::array<Vec3, 3> compute_axes(const ConcentratorTarget& concentrator);

/// Returns the point of the surface in the frame of these axes, relative to the exit's centre, at
/// (x, y) metres from the middle of the bitmap for an observer inside who faces it.
Vec3 point_in_frame(const ConcentratorTarget& concentrator, double x, double y);

/// Returns the place on the bitmap of a point in the frame: the inverse of point_in_frame().
std::array<double, 2> place_on_map(const ConcentratorTarget& concentrator, const Vec3& point);

/// Returns the point at the middle of the bitmap.
Vec3 default_aim_point(const ConcentratorTarget& concentrator);

/// Returns the same, wherever the heliostat is.
Vec3 default_aim_point(const ConcentratorTarget& concentrator, const Vec3& from);

/// Returns the unit normal of the inside at a point of the surface.
Vec3 lit_normal(const ConcentratorTarget& concentrator, const Vec3& point);

}  // namespace helioray
