// SPDX-License-Identifier: MIT
// A sector of a cylinder as target.
#pragma once

#include "scenario/target_member.h"
#include "scenario/vector_math.h"

#include <array>

namespace helioray {

/// Sector of a circular cylinder.
struct CylindricalTarget {
    /// The convex side, or the concave one that is lit from inside.
    enum class Side { outer, inner };

    Vec3 center{};         ///< metres, ENU; on the axis, half way up
    Vec3 axis{0, 0, 1};    ///< unit vector
    Vec3 normal{0, 1, 0};  ///< unit vector from the axis to the middle of the sector, perpendicular
                           ///< to the axis
    double radius = 0.0;   ///< metres
    double height = 0.0;   ///< metres, along the axis
    double opening_angle = 0.0;  ///< radians, full angle of the sector, (0, 2 pi]; up to
                                 ///< 360 from files that mean degrees, for model artist alone
    Side side = Side::outer;     ///< which side is lit
    bool operator==(const CylindricalTarget&) const = default;

    static constexpr const char* kKind = "cylindrical";                ///< in result files
    static constexpr const char* kGroup = "target_areas_cylindrical";  ///< in scenario files
    static constexpr bool kIsFlat = false;                             ///< see PlanarTarget

    /// See TargetMember.
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

/// Extent of the unrolled surface in metres: radius * opening angle, height.
inline std::array<double, 2> extent_of(const CylindricalTarget& cylinder) {
    return {cylinder.radius * cylinder.opening_angle, cylinder.height};
}

/// The cylinder in words.
TargetWords words_of(const CylindricalTarget& cylinder);

/// Unit axes: z along the axis, y the sector's normal, x = y cross z.
std::array<Vec3, 3> axes_of(const CylindricalTarget& cylinder);

/// The point of the surface, in the frame of these axes about the centre, at (x, y) metres from the
/// middle of the unrolled surface as an observer facing it sees it (x to the right, y up).
Vec3 point_in_frame(const CylindricalTarget& cylinder, double x, double y);

/// Centre + radius * normal.
Vec3 aim_point_of(const CylindricalTarget& cylinder);

/// The same for a heliostat that stands at `from`. A full cylinder that is lit from outside is
/// aimed at where its surface is nearest to the heliostat, half way up; a heliostat on its axis
/// aims at centre + radius * normal.
Vec3 aim_point_of(const CylindricalTarget& cylinder, const Vec3& from);

}  // namespace helioray
