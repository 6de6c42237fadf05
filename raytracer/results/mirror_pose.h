// SPDX-License-Identifier: MIT
// The pose of a mirror in seven numbers instead of the sixteen of its matrix.
#pragma once

#include "scenario/types/vector_math.h"

#include <array>

namespace helioray {

/// Pose of a mirror frame (facets in the east-north plane, normal up) in east, north, up.
struct MirrorPose {
    Vec3 normal{};  ///< unit normal; {} for a heliostat without a pose
    Vec3 origin{};  ///< origin, metres
    /// Turn about the normal, radians, from the horizontal direction to the frame's first axis;
    /// measured from east if the normal is vertical.
    double turn = 0.0;
};

/// Returns the pose for a homogeneous matrix, 4 x 4 row-major.
MirrorPose convert_to_pose(const std::array<double, 16>& orientation);

/// Returns the matrix of a pose: the inverse of convert_to_pose(), within rounding.
std::array<double, 16> convert_to_matrix(const MirrorPose& pose);

}  // namespace helioray
