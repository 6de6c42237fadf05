// SPDX-License-Identifier: MIT
// Drives: motor positions to joint angles and back, limits and reach.
#pragma once

#include "raytracer/kinematics/parameters.h"

namespace helioray {

/// Joint angles with the mark whether the drive can take them.
struct JointAngles {
    at::Tensor angles;     ///< [N, 2] radians
    at::Tensor reachable;  ///< [N, 2] bool
};

/// Motor positions with the mark whether they exist.
struct MotorPositions {
    at::Tensor positions;  ///< [N, 2] steps (linear) or radians (ideal)
    at::Tensor reachable;  ///< [N, 2] bool
};

/// Joint angles of motor positions [N, 2].
///
/// Linear drive: the stroke s = position / increment + initial stroke closes a triangle with the
/// sides offset b and pivot radius r; the angle between them is g(s) = acos((b^2 + r^2 - s^2) / (2
/// b r)); the joint turns by g(initial) - g(s), added to the initial angle for clockwise drives,
/// subtracted otherwise. Ideal drive: the angle is the position. Where the triangle does not close,
/// reachable is false and the angle is the nearest possible one, without gradient. Differentiable
/// in the positions and all drive parameters. Limits do not enter.
JointAngles joint_angles_from_motor_positions(const ActuatorParameters& actuators,
                                              const at::Tensor& motor_positions);

/// Motor positions of joint angles [N, 2]; inverse of the above. Angles that differ by whole turns
/// are the same orientation: ideal drives take the turn that lies within their limits, where there
/// is one. Where no stroke gives the angle, reachable is false and the position is that of the
/// nearest end of the triangle. Differentiable in the angles and all drive parameters.
MotorPositions motor_positions_from_joint_angles(const ActuatorParameters& actuators,
                                                 const at::Tensor& joint_angles);

/// [N, 2] bool: limits that mean something. False for ideal drives whose limits span more than two
/// turns: such limits were written for motor steps (ARTIST's sample scenarios state [0, 60000] for
/// angles) and are not applied.
at::Tensor limits_are_meaningful(const ActuatorParameters& actuators);

/// [N, 2] bool: positions lie in [min, max] (with a billionth of the range to spare) or the limits
/// are not meaningful.
at::Tensor within_motor_limits(const ActuatorParameters& actuators, const at::Tensor& positions);

}  // namespace helioray
