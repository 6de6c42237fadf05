// SPDX-License-Identifier: MIT
// A sector of a cylinder as target.
#pragma once

#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <optional>

namespace helioray {

/// Sector of a circular cylinder.
struct CylindricalTarget {
    /// Lit side: the convex (outer) or the concave (inner) one.
    enum class Side { outer, inner };

    Vec3 center{};       ///< centre of the axis, metres, ENU
    Vec3 axis{0, 0, 1};  ///< unit vector along the axis
    /// Unit vector from the axis to the middle of the sector, perpendicular to the axis.
    Vec3 normal{0, 1, 0};
    double radius = 0.0;  ///< metres
    double height = 0.0;  ///< height along the axis, metres
    /// Full angle of the sector, radians, (0, 2 pi]; up to 360 from files that mean degrees, only
    /// for model artist.
    double opening_angle = 0.0;
    Side side = Side::outer;  ///< lit side
    bool operator==(const CylindricalTarget&) const = default;

    static constexpr const char* kKind = "cylindrical";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_cylindrical";
    static constexpr bool kIsFlat = false;      ///< see PlanarTarget
    static constexpr bool kStandsAlone = true;  ///< see PlanarTarget

    /// Visits all members, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "cylinder_center", Kind::point}, shape.center);
        visit(TargetMember{"axis", "cylinder_axis", Kind::direction}, shape.axis);
        visit(TargetMember{"normal", "cylinder_normal", Kind::direction}, shape.normal);
        visit(TargetMember{"radius", "cylinder_radius", Kind::length}, shape.radius);
        visit(TargetMember{"height", "cylinder_height", Kind::length}, shape.height);
        visit(TargetMember{"opening_angle", "cylinder_opening_angle", Kind::angle},
              shape.opening_angle);
        visit(TargetMember{"side", "side", Kind::choice}, shape.side);
    }
};

/// Returns the extent of the unrolled surface, metres: radius * opening angle, height.
inline std::array<double, 2> shape_extent(const CylindricalTarget& cylinder) {
    return {cylinder.radius * cylinder.opening_angle, cylinder.height};
}

/// Describes the cylinder for users.
TargetWords describe_shape(const CylindricalTarget& cylinder);

/// Returns the first contradiction between the members of the cylinder.
std::optional<ShapeFault> find_shape_fault(const CylindricalTarget& cylinder);

/// Returns unit axes: z along the axis, y the sector's normal, x = y cross z.
std::array<Vec3, 3> compute_axes(const CylindricalTarget& cylinder);

/// Returns the point of the surface, relative to the centre in the frame of these axes, at (x, y)
/// metres from the middle of the unrolled surface as seen by an observer facing it (x to the right,
/// y up).
Vec3 point_in_frame(const CylindricalTarget& cylinder, double x, double y);

/// Returns centre + radius * normal.
Vec3 default_aim_point(const CylindricalTarget& cylinder);

/// Returns the aim point for a heliostat at `from`. For a full cylinder that is lit from outside,
/// this is the point of its surface nearest to the heliostat, at half its height. A heliostat on
/// its axis aims at centre + radius * normal.
Vec3 default_aim_point(const CylindricalTarget& cylinder, const Vec3& from);

/// Returns the unit normal of the lit side at a point of the surface.
Vec3 lit_normal(const CylindricalTarget& cylinder, const Vec3& point);

}  // namespace helioray
