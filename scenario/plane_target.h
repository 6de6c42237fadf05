// SPDX-License-Identifier: MIT
// A flat rectangle as target.
#pragma once

#include "scenario/target_member.h"
#include "scenario/vector_math.h"

#include <array>

namespace helioray {

/// Rectangle of any orientation. For planes that are not vertical, up in the plane is the
/// projection of world up; for a horizontal plane it is north.
struct PlanarTarget {
    Vec3 center{};         ///< metres, ENU
    Vec3 normal{0, 1, 0};  ///< unit vector towards the lit side
    double width = 0.0;    ///< metres, along the horizontal in-plane axis (file: plane_e)
    double height = 0.0;   ///< metres, along the other in-plane axis (file: plane_u)
    bool operator==(const PlanarTarget&) const = default;

    static constexpr const char* kKind = "planar";                ///< in result files
    static constexpr const char* kGroup = "target_areas_planar";  ///< in scenario files
    static constexpr bool kIsFlat = true;  ///< frame and points follow from the normal

    /// See TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "position_center", Kind::point}, shape.center);
        visit(TargetMember{"normal", "normal_vector", Kind::direction}, shape.normal);
        visit(TargetMember{"width", "plane_e", Kind::length}, shape.width);
        visit(TargetMember{"height", "plane_u", Kind::length}, shape.height);
    }
};

/// Extent of the surface in metres: width, height.
inline std::array<double, 2> extent_of(const PlanarTarget& plane) {
    return {plane.width, plane.height};
}

/// The plane in words.
TargetWords words_of(const PlanarTarget& plane);

/// Unit axes x (right for an observer facing the front), y (up in the plane: projection of world
/// up; north for a horizontal plane) and z (along the normal) of a flat target.
std::array<Vec3, 3> flat_axes(const Vec3& normal);

}  // namespace helioray
