// SPDX-License-Identifier: MIT
// A flat rectangle as target.
#pragma once

#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>

namespace helioray {

/// Rectangle of any orientation. For planes that are not vertical, up in the plane is the
/// projection of world up; for a horizontal plane it is north.
struct PlanarTarget {
    Vec3 center{};         ///< centre, metres, ENU
    Vec3 normal{0, 1, 0};  ///< unit vector towards the lit side
    double width = 0.0;    ///< width along the horizontal in-plane axis (file: plane_e), metres
    double height = 0.0;   ///< height along the other in-plane axis (file: plane_u), metres
    bool operator==(const PlanarTarget&) const = default;

    static constexpr const char* kKind = "planar";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_planar";
    static constexpr bool kIsFlat = true;       ///< frame and points follow from the normal
    static constexpr bool kStandsAlone = true;  ///< it need not belong to a receiver

    /// Visits all members, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "position_center", Kind::point}, shape.center);
        visit(TargetMember{"normal", "normal_vector", Kind::direction}, shape.normal);
        visit(TargetMember{"width", "plane_e", Kind::length}, shape.width);
        visit(TargetMember{"height", "plane_u", Kind::length}, shape.height);
    }
};

/// Returns the extent of the surface, metres: width, height.
inline std::array<double, 2> shape_extent(const PlanarTarget& plane) {
    return {plane.width, plane.height};
}

/// Returns the area of the surface, m2.
inline double shape_area(const PlanarTarget& plane) {
    return plane.width * plane.height;
}

/// Describes the plane for users.
TargetWords describe_shape(const PlanarTarget& plane);

/// Returns the unit axes x (right for an observer facing the front), y (up in the plane: projection
/// of world up; north for a horizontal plane) and z (along the normal) of a flat target.
std::array<Vec3, 3> flat_axes(const Vec3& normal);

}  // namespace helioray
