// SPDX-License-Identifier: MIT
// The frame of a target and points on its surface.
#pragma once

#include "scenario/types.h"

#include <array>

namespace helioray {

/// Rigid frame: p_target = rotation (p_world - origin).
struct TargetFrame {
    std::array<Vec3, 3>
        axes{};     ///< rows of the rotation: unit vectors x, y, z of the target in ENU
    Vec3 origin{};  ///< metres, ENU

    /// From this frame to east-north-up and back; points in metres, directions keep their length.
    Vec3 direction_to_world(const Vec3& v) const;
    Vec3 point_to_world(const Vec3& p) const;
    Vec3 direction_to_frame(const Vec3& v) const;
    Vec3 point_to_frame(const Vec3& p) const;
};

/// Plane: x = right for an observer facing the front, y = up in the plane (projection of world up;
/// north for a horizontal plane), z = normal. Cylinder: z = axis, y = sector normal, x = y cross z.
TargetFrame target_frame(const Target& target);

/// Point of the target's surface, ENU, at (x, y) metres from the centre of its unrolled surface as
/// an observer facing it sees it (x to the right, y up).
Vec3 surface_point(const Target& target, double x, double y);

}  // namespace helioray
