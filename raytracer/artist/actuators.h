// SPDX-License-Identifier: MIT
// Motor positions to joint angles and back, for linear and ideal actuators.
#pragma once

#include "raytracer/artist/parameters.h"

#include <ATen/core/Tensor.h>

namespace helioray::artist {

/// Joint angles [N, 2] (radians) of motor positions [N, 2]. Linear: triangle of offset, pivot
/// radius and stroke, every length and the increment shifted by a softplus (P9); positions that the
/// triangle cannot reach are clamped (P8). Ideal: the motor position itself, whatever the turning
/// direction.
at::Tensor joint_angles(const Parameters& p, const at::Tensor& motor_positions);

/// Motor positions [N, 2] of joint angles [N, 2]; angles out of reach are clamped or folded (P8),
/// limits ignored (P12).
at::Tensor motor_positions(const Parameters& p, const at::Tensor& angles);

}  // namespace helioray::artist
