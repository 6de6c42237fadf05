// SPDX-License-Identifier: MIT
// Kinematics "rigid_body": two tilted, displaced joints, axis 1 about east, axis 2 about up.
#pragma once

#include "raytracer/kinematics/parameters.h"

namespace helioray {

/// The two ways to point a rigid body's normal; rolled is natural followed by half a turn of the
/// mirror about its normal (exactly so without tilts).
enum class Branch { natural, rolled };

/// Joint angles for wanted normals.
struct NormalSolution {
    at::Tensor joint_angles;  ///< [N, 2] radians
    at::Tensor reachable;  ///< [N] bool: the joints can point there at all (tilts can leave a gap
                           ///< at east and west)
};

/// Orientation for joint angles [N, 2]: T(p) R_n R_u T(t1) R_e(angle 1) R_e R_n T(t2) R_u(angle 2)
/// T(tc) R_e(pi/2), the plain rotations being the tilts in their order in `rotations`. The last
/// factor takes the mirror frame (normal up) to the joints' frame, in which the normal of angles
/// (0, 0) points south. Returns [N, 4, 4], mirror frame to ENU; differentiable in the angles,
/// positions, translations and rotations.
at::Tensor rigid_body_orientation(const KinematicsParameters& parameters,
                                  const at::Tensor& joint_angles);

/// Joint angles that point the normal along `normals` ([N, 3], unit, ENU); angle 2 in [-pi/2, pi/2]
/// on the natural branch. Differentiable in the normals and rotations.
NormalSolution rigid_body_joint_angles(const KinematicsParameters& parameters,
                                       const at::Tensor& normals,
                                       Branch branch);

}  // namespace helioray
