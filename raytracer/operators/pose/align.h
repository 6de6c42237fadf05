// SPDX-License-Identifier: MIT
// Operators helioray::align, helioray::orient and helioray::motor_positions: orientations of
// heliostats for aim points or for given motor positions, and motor positions for aim points.
#pragma once

#include "scenario/types/types.h"

#include <ATen/core/Tensor.h>

namespace helioray::operators {

/// Returns the orientations [N, 4, 4] (mirror frame to ENU, as in FluxInputs) of mirrors with ideal
/// drives that reflect the sun's light to their aim points.
///
/// parameters: [N, 16] position 3 (metres, ENU); translations of first joint, second joint and
/// concentrator, 3 each (metres); tilts of the first joint about n and u and of the second joint
/// about e and n (radians). azimuth_elevation kinematics only have the concentrator's translation.
/// sun_direction: [3] to the sun, any non-zero length; aim_points: [N, 3] metres. All float64.
///
/// Twice differentiable in all tensors (once inside torch.func, torch.compile and vmap). Throws
/// c10::Error for wrong shapes, values that are not finite and aim points that cannot be reached,
/// naming the row.
at::Tensor align(const at::Tensor& parameters,
                 const at::Tensor& sun_direction,
                 const at::Tensor& aim_points,
                 KinematicsType kinematics);

/// Columns of `drives`, which orient() takes for each of the two axes of a heliostat.
enum class DriveColumn : int {
    linear = 0,          ///< 1: a linear drive; 0: ideal, the motor position is the joint angle
    clockwise = 1,       ///< 1 or 0; this and the following columns only affect linear drives
    increment = 2,       ///< steps per metre of stroke
    offset = 3,          ///< metres
    pivot_radius = 4,    ///< metres
    initial_stroke = 5,  ///< metres, stroke at motor position 0
    initial_angle = 6,   ///< radians, joint angle at motor position 0
    count = 7            ///< number of columns
};

/// Returns the orientations [N, 4, 4] of mirrors for given motor positions: the counterpart of
/// align() for measured motor positions.
///
/// parameters: as for align(). motor_positions: [N, 2], steps of linear drives, radians of ideal
/// ones. drives: [N, 2, 7], see DriveColumn; zeros are ideal drives. A linear drive's stroke is s =
/// position / increment + initial stroke, and its joint angle is initial angle +- (g(initial
/// stroke) - g(s)) with the triangle's angle g(s) = acos((b^2 + r^2 - s^2) / (2 b r)) between
/// offset b and pivot radius r; + for clockwise. Joint angles (0, 0) of rigid bodies point the
/// normal south: scenario files give the initial angle of axis 1 relative to a mirror that lies
/// flat, so subtract pi/2 from it. Limits of motors are not checked.
///
/// Twice differentiable in all tensors (once inside torch.func, torch.compile and vmap), except for
/// the first two columns of drives. Throws c10::Error for wrong shapes, values that are not finite,
/// and drives or positions whose triangle does not exist, naming the row.
at::Tensor orient(const at::Tensor& parameters,
                  const at::Tensor& motor_positions,
                  const at::Tensor& drives,
                  KinematicsType kinematics);

/// Returns the motor positions [N, 2] of drives whose mirrors reflect the sun's light to their aim
/// points: steps of linear drives, radians of ideal ones. orient() turns the mirrors to these
/// positions.
///
/// parameters, sun_direction, aim_points: as for align(). drives: as for orient(). Limits of motors
/// are not checked.
///
/// Twice differentiable in all tensors (once inside torch.func, torch.compile and vmap), except for
/// the first two columns of drives. The mirror's origin moves with the joints; the solution is
/// differentiated, not its iteration. Throws c10::Error for wrong shapes, values that are not
/// finite, drives whose triangle does not exist and aim points that drives cannot reach, naming the
/// row.
at::Tensor motor_positions(const at::Tensor& parameters,
                           const at::Tensor& sun_direction,
                           const at::Tensor& aim_points,
                           const at::Tensor& drives,
                           KinematicsType kinematics);

}  // namespace helioray::operators
