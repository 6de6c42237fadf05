// SPDX-License-Identifier: MIT
// Orientation and its inverse for batches in which the types of kinematics are mixed.
#pragma once

#include "raytracer/kinematics/rigid_body.h"

namespace helioray {

/// Orientation [N, 4, 4] (mirror frame to ENU) of every heliostat for joint angles [N, 2].
at::Tensor mirror_orientation(const KinematicsParameters& parameters,
                              const at::Tensor& joint_angles);

/// Joint angles for normals [N, 3] (unit, ENU). The branch matters to rigid bodies only.
NormalSolution joint_angles_for_normals(const KinematicsParameters& parameters,
                                        const at::Tensor& normals,
                                        Branch branch = Branch::natural);

}  // namespace helioray
