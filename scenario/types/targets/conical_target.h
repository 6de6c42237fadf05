// SPDX-License-Identifier: MIT
// A cone, a frustum, or a sector of one, as target.
#pragma once

#include "scenario/types/targets/cylinder_target.h"
#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <numbers>
#include <optional>

namespace helioray {

/// Sector of the shell of a frustum, or of a cone if one radius is 0. Its bitmap is unrolled:
/// columns are angles, rows are rings of equal area, so that all pixels have the same area.
struct ConicalTarget {
    using Side = CylindricalTarget::Side;  ///< lit side: the convex or the concave one

    Vec3 center{};       ///< middle of the axis between both ends, metres, ENU
    Vec3 axis{0, 0, 1};  ///< unit vector along the axis, from the bottom to the top
    /// Unit vector from the axis to the middle of the sector, perpendicular to the axis.
    Vec3 normal{0, 1, 0};
    double bottom_radius = 0.0;  ///< radius at the bottom, metres
    double top_radius = 0.0;     ///< radius at the top, metres; one of both may be 0
    double height = 0.0;         ///< height along the axis, metres
    double opening_angle = 2.0 * std::numbers::pi;  ///< angle of the sector, radians, (0, 2 pi]
    Side side = Side::outer;                        ///< lit side
    bool operator==(const ConicalTarget&) const = default;

    static constexpr const char* kKind = "conical";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_conical";
    static constexpr bool kIsFlat = false;       ///< see PlanarTarget
    static constexpr bool kStandsAlone = false;  ///< only surfaces of receivers have this shape

    /// Visits all members, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "center", Kind::point}, shape.center);
        visit(TargetMember{"axis", "axis", Kind::direction}, shape.axis);
        visit(TargetMember{"normal", "normal", Kind::direction}, shape.normal);
        visit(TargetMember{"bottom_radius", "bottom_radius", Kind::length_or_zero},
              shape.bottom_radius);
        visit(TargetMember{"top_radius", "top_radius", Kind::length_or_zero}, shape.top_radius);
        visit(TargetMember{"height", "height", Kind::length}, shape.height);
        visit(TargetMember{"opening_angle", "opening_angle", Kind::angle}, shape.opening_angle);
        visit(TargetMember{"side", "side", Kind::choice}, shape.side);
    }
};

/// Returns the extent of the unrolled surface, metres: mean radius * opening angle, and the length
/// of the shell from the bottom to the top. Their product is the area.
std::array<double, 2> shape_extent(const ConicalTarget& cone);

/// Describes the cone for users.
TargetWords describe_shape(const ConicalTarget& cone);

/// Returns the first contradiction between the members of the cone.
std::optional<ShapeFault> find_shape_fault(const ConicalTarget& cone);

/// Returns unit axes: z along the axis, y the sector's normal, x = y cross z.
std::array<Vec3, 3> compute_axes(const ConicalTarget& cone);

/// Returns the point of the surface in the frame of these axes, relative to the centre, at (x, y)
/// metres from the middle of the bitmap for an observer who faces the lit side.
Vec3 point_in_frame(const ConicalTarget& cone, double x, double y);

/// Returns the place on the bitmap of a point in the frame: the inverse of point_in_frame().
std::array<double, 2> place_on_map(const ConicalTarget& cone, const Vec3& point);

/// Returns the point at the middle of the bitmap.
Vec3 default_aim_point(const ConicalTarget& cone);

/// Returns the aim point for a heliostat at `from`. For a full turn that is lit from outside, this
/// is the point that faces the heliostat, on the ring through the middle of the bitmap.
Vec3 default_aim_point(const ConicalTarget& cone, const Vec3& from);

/// Returns the unit normal of the lit side at a point of the surface.
Vec3 lit_normal(const ConicalTarget& cone, const Vec3& point);

}  // namespace helioray
