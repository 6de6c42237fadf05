// SPDX-License-Identifier: MIT
// A flat disc as target.
#pragma once

#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <numbers>

namespace helioray {

/// Disc of any orientation. Its bitmap covers the square around it, with the axes of a plane;
/// pixels outside the disc receive nothing.
struct DiscTarget {
    Vec3 center{};         ///< centre, metres, ENU
    Vec3 normal{0, 1, 0};  ///< unit vector towards the lit side
    double radius = 0.0;   ///< radius, metres
    bool operator==(const DiscTarget&) const = default;

    static constexpr const char* kKind = "disc";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_disc";
    static constexpr bool kIsFlat = true;       ///< see PlanarTarget
    static constexpr bool kStandsAlone = true;  ///< see PlanarTarget

    /// Visits all members, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "position_center", Kind::point}, shape.center);
        visit(TargetMember{"normal", "normal_vector", Kind::direction}, shape.normal);
        visit(TargetMember{"radius", "radius", Kind::length}, shape.radius);
    }
};

/// Returns the extent of the bitmap, metres.
inline std::array<double, 2> shape_extent(const DiscTarget& disc) {
    return {2.0 * disc.radius, 2.0 * disc.radius};
}

/// Returns the area of the surface, m2.
inline double shape_area(const DiscTarget& disc) {
    return std::numbers::pi * disc.radius * disc.radius;
}

/// Describes the disc for users.
TargetWords describe_shape(const DiscTarget& disc);

}  // namespace helioray
