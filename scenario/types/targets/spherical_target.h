// SPDX-License-Identifier: MIT
// A sphere, a cap, a zone, or a sector of one, as target.
#pragma once

#include "scenario/types/targets/cylinder_target.h"
#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <numbers>
#include <optional>

namespace helioray {

/// Part of a sphere between two latitudes about its axis, and within a sector. Its bitmap is
/// unrolled: columns are angles, rows are heights along the axis, so that all pixels have the same
/// area (Archimedes).
struct SphericalTarget {
    using Side = CylindricalTarget::Side;  ///< lit side: the convex or the concave one

    Vec3 center{};       ///< centre of the sphere, metres, ENU
    Vec3 axis{0, 0, 1};  ///< unit vector along the axis
    /// Unit vector from the axis to the middle of the sector, perpendicular to the axis.
    Vec3 normal{0, 1, 0};
    double radius = 0.0;                               ///< metres
    double bottom_latitude = -0.5 * std::numbers::pi;  ///< lower rim, radians above the equator
    double top_latitude = 0.5 * std::numbers::pi;      ///< upper rim, radians above the equator
    double opening_angle = 2.0 * std::numbers::pi;     ///< angle of the sector, radians, (0, 2 pi]
    Side side = Side::outer;                           ///< lit side
    bool operator==(const SphericalTarget&) const = default;

    static constexpr const char* kKind = "spherical";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_spherical";
    static constexpr bool kIsFlat = false;       ///< see PlanarTarget
    static constexpr bool kStandsAlone = false;  ///< only surfaces of receivers have this shape

    /// Visits all members, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "center", Kind::point}, shape.center);
        visit(TargetMember{"axis", "axis", Kind::direction}, shape.axis);
        visit(TargetMember{"normal", "normal", Kind::direction}, shape.normal);
        visit(TargetMember{"radius", "radius", Kind::length}, shape.radius);
        visit(TargetMember{"bottom_latitude", "bottom_latitude", Kind::latitude},
              shape.bottom_latitude);
        visit(TargetMember{"top_latitude", "top_latitude", Kind::latitude}, shape.top_latitude);
        visit(TargetMember{"opening_angle", "opening_angle", Kind::angle}, shape.opening_angle);
        visit(TargetMember{"side", "side", Kind::choice}, shape.side);
    }
};

/// Returns the heights of the lower and upper rim above the centre, along the axis, metres.
std::array<double, 2> rim_heights(const SphericalTarget& sphere);

/// Returns the extent of the unrolled surface, metres: radius * opening angle, and the height
/// between the rims along the axis. Their product is the area.
std::array<double, 2> shape_extent(const SphericalTarget& sphere);

/// Describes the sphere for users.
TargetWords describe_shape(const SphericalTarget& sphere);

/// Returns the first contradiction between the members of the sphere.
std::optional<ShapeFault> find_shape_fault(const SphericalTarget& sphere);

/// Returns unit axes: z along the axis, y the sector's normal, x = y cross z.
std::array<Vec3, 3> compute_axes(const SphericalTarget& sphere);

/// Returns the point of the surface in the frame of these axes, relative to the centre, at (x, y)
/// metres from the middle of the bitmap for an observer who faces the lit side.
Vec3 point_in_frame(const SphericalTarget& sphere, double x, double y);

/// Returns the place on the bitmap of a point in the frame: the inverse of point_in_frame().
std::array<double, 2> place_on_map(const SphericalTarget& sphere, const Vec3& point);

/// Returns the point at the middle of the bitmap.
Vec3 default_aim_point(const SphericalTarget& sphere);

/// Returns the aim point for a heliostat at `from`. For a full turn that is lit from outside, this
/// is the point nearest to the heliostat of those between the rims.
Vec3 default_aim_point(const SphericalTarget& sphere, const Vec3& from);

/// Returns the unit normal of the lit side at a point of the surface.
Vec3 lit_normal(const SphericalTarget& sphere, const Vec3& point);

}  // namespace helioray
