// SPDX-License-Identifier: MIT
// A disc with a hole, or a sector of it, as target.
#pragma once

#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <numbers>
#include <optional>

namespace helioray {

/// Flat ring between two radii, or a sector of it. Its bitmap is unrolled: columns are angles
/// (clockwise to the right for an observer who faces its front), rows are rings of equal area with
/// the outermost one at the top, so that all pixels have the same area.
struct AnnularTarget {
    Vec3 center{};         ///< centre of the circles, metres, ENU
    Vec3 normal{0, 1, 0};  ///< unit vector towards the lit side
    /// Unit vector from the centre to the middle of the sector, perpendicular to the normal.
    Vec3 middle{0, 0, 1};
    double radius = 0.0;        ///< outer radius, metres
    double inner_radius = 0.0;  ///< inner radius, metres, below the outer one; 0: no hole
    double opening_angle = 2.0 * std::numbers::pi;  ///< angle of the sector, radians, (0, 2 pi]
    bool operator==(const AnnularTarget&) const = default;

    static constexpr const char* kKind = "annular";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_annular";
    static constexpr bool kIsFlat = false;       ///< the bitmap is unrolled, see PlanarTarget
    static constexpr bool kStandsAlone = false;  ///< only surfaces of receivers have this shape

    /// Visits all members, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "center", Kind::point}, shape.center);
        visit(TargetMember{"normal", "normal", Kind::direction}, shape.normal);
        visit(TargetMember{"middle", "middle", Kind::direction}, shape.middle);
        visit(TargetMember{"radius", "radius", Kind::length}, shape.radius);
        visit(TargetMember{"inner_radius", "inner_radius", Kind::length_or_zero},
              shape.inner_radius);
        visit(TargetMember{"opening_angle", "opening_angle", Kind::angle}, shape.opening_angle);
    }
};

/// Returns the extent of the unrolled surface, metres: mean radius * opening angle, and the
/// difference of the radii. Their product is the area.
std::array<double, 2> shape_extent(const AnnularTarget& annulus);

/// Describes the annulus for users.
TargetWords describe_shape(const AnnularTarget& annulus);

/// Returns the first contradiction between the members of the annulus.
std::optional<ShapeFault> find_shape_fault(const AnnularTarget& annulus);

/// Returns unit axes: z along the normal, y towards the middle of the sector, x = y cross z, which
/// is on the right of an observer who faces the front.
std::array<Vec3, 3> compute_axes(const AnnularTarget& annulus);

/// Returns the point of the surface in the frame of these axes, relative to the centre, at (x, y)
/// metres from the middle of the bitmap.
Vec3 point_in_frame(const AnnularTarget& annulus, double x, double y);

/// Returns the place on the bitmap of a point in the frame: the inverse of point_in_frame().
std::array<double, 2> place_on_map(const AnnularTarget& annulus, const Vec3& point);

/// Returns the point at the middle of the bitmap.
Vec3 default_aim_point(const AnnularTarget& annulus);
/// Returns the same point, whatever the heliostat's position `from` is.
Vec3 default_aim_point(const AnnularTarget& annulus, const Vec3& from);

/// Returns the normal, which is the same at every point.
Vec3 lit_normal(const AnnularTarget& annulus, const Vec3& point);

}  // namespace helioray
