// SPDX-License-Identifier: MIT
// Puts into words what an alignment could not do.
#pragma once

#include "raytracer/kinematics/actuators.h"
#include "raytracer/kinematics/alignment.h"

namespace helioray {

/// Marks per heliostat and axis from which the issues follow. Undefined tensors stand for "all is
/// well".
struct AlignmentMarks {
    at::Tensor reachable_angle;   ///< [N, 2] bool: a stroke gives the joint angle (aiming)
    at::Tensor reachable_stroke;  ///< [N, 2] bool: the triangle closes at the motor position (motor
                                  ///< positions given)
    at::Tensor reachable_normal;  ///< [N] bool: some joint angles point the mirror there
    at::Tensor defined_normal;  ///< [N] bool: a normal exists that sends the light to the aim point
    at::Tensor converged;       ///< [N] bool: as Alignment::converged
};

/// Issues by heliostat, then axis. requested_angles [N, 2]: joint angles before they were moved
/// into reach.
std::vector<AlignmentIssue> alignment_issues(const ActuatorParameters& actuators,
                                             const at::Tensor& motor_positions,
                                             const at::Tensor& requested_angles,
                                             const AlignmentMarks& marks);

}  // namespace helioray
