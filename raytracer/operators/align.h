// SPDX-License-Identifier: MIT
// helioray::align: orientations of heliostats that aim at points.
#pragma once

#include "scenario/types.h"

#include <ATen/core/Tensor.h>

namespace helioray::operators {

/// Orientation [N, 4, 4] (mirror frame to ENU, as FluxInputs wants it) of mirrors with ideal drives
/// that reflect the sun's light to their aim points.
///
/// parameters: [N, 16] position 3 (metres, ENU); translations of first joint, second joint and
/// concentrator, 3 each (metres); tilts of the first joint about n and u and of the second joint
/// about e and n (radians). azimuth_elevation kinematics have the concentrator's translation only.
/// sun_direction: [3] to the sun, any length but zero; aim_points: [N, 3] metres. All float64.
///
/// Made of ATen operators, differentiable in all tensors. Throws c10::Error for wrong shapes and
/// for aim points that cannot be reached, naming the row.
at::Tensor align(const at::Tensor& parameters,
                 const at::Tensor& sun_direction,
                 const at::Tensor& aim_points,
                 KinematicsType kinematics);

}  // namespace helioray::operators
