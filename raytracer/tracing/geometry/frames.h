// SPDX-License-Identifier: MIT
// Frames of targets and of canted facets, and points on a target's surface.
#pragma once

#include "scenario/types/types.h"

#include <array>

namespace helioray {

/// Rigid frame of a target: p_target = rotation (p_world - origin).
struct TargetFrame {
    std::array<Vec3, 3>
        axes{};     ///< rows of the rotation: unit vectors x, y, z of the target in ENU
    Vec3 origin{};  ///< origin of the frame, metres, ENU

    /// @{
    /// These functions convert from this frame to east-north-up (ENU) and back. Points are in
    /// metres; directions keep their length.
    Vec3 direction_to_world(const Vec3& v) const;
    Vec3 point_to_world(const Vec3& p) const;
    Vec3 direction_to_frame(const Vec3& v) const;
    Vec3 point_to_frame(const Vec3& p) const;
    /// @}
};

/// Returns the frame of a target. Plane: x = right for an observer facing the front, y = up in the
/// plane (projection of world up; north for a horizontal plane), z = normal. Cylinder: z = axis, y
/// = sector normal, x = y cross z.
TargetFrame target_frame(const Target& target);

/// Returns the point of the target's surface (metres, ENU) at (x, y) metres from the centre of its
/// unrolled surface, as seen by an observer facing it (x to the right, y up).
Vec3 surface_point(const Target& target, double x, double y);

/// Returns the unit axes e, n, u of a facet in the mirror frame: e along canting_e, u perpendicular
/// to both canting vectors.
std::array<Vec3, 3> canting_axes(const Facet& facet);

/// Returns origin + v[0] axes[0] + v[1] axes[1] + v[2] axes[2], which converts a vector from the
/// frame of the axes to the frame in which the axes are given. Use the origin {} for directions.
Vec3 along_axes(const Vec3& origin, const std::array<Vec3, 3>& axes, const Vec3& v);

}  // namespace helioray
