// SPDX-License-Identifier: MIT
// How a mirror stands, in seven numbers instead of the sixteen of its matrix.
#pragma once

#include "scenario/vector_math.h"

#include <array>

namespace helioray {

/// Of a mirror frame (facets in the east-north plane, normal up) in east, north, up.
struct MirrorPose {
    Vec3 normal{};      ///< unit vector; {} for a heliostat that stands nowhere
    Vec3 origin{};      ///< metres
    double turn = 0.0;  ///< radians about the normal, from the horizontal direction to the frame's
                        ///< first axis; from east where the normal is vertical
};

/// The pose of a homogeneous matrix, 4 x 4 row-major.
MirrorPose pose_of(const std::array<double, 16>& orientation);

/// The matrix of a pose; within rounding what pose_of() was given.
std::array<double, 16> orientation_of(const MirrorPose& pose);

}  // namespace helioray
