// SPDX-License-Identifier: MIT
// Turning heliostats: from incident direction and aim point, or from motor positions.
#pragma once

#include "raytracer/artist/parameters.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace helioray::artist {

struct Alignment {
    at::Tensor orientation;      ///< [N, 4, 4] mirror frame (normal up) to ENU
    at::Tensor motor_positions;  ///< [N, 2]
    at::Tensor out_of_range;     ///< [N] bool: no solution within the motor limits (P12)
    std::vector<at::Tensor> motor_positions_per_pass;  ///< given to each forward evaluation
    int64_t inverse_evaluations = 0;
};

/// At most four passes of forward and inverse kinematics from motor positions 0, so that the mirror
/// reflects the sun from its own (moving) origin to the aim point. All rows stop together, when no
/// row's normal error changed by more than 1e-4 (P14); without convergence the motor positions are
/// one step ahead of the orientation (P13).
/// @param incident  [N, 4] propagation direction of sunlight, unit, last = 0
/// @param aim_point [N, 4] metres, last = 1
Alignment align_to_aim_points(const Parameters& p,
                              const at::Tensor& incident,
                              const at::Tensor& aim_point);

/// Orientation of given motor positions [N, 2]; no limits checked.
Alignment align_to_motor_positions(const Parameters& p, const at::Tensor& motor_positions);

}  // namespace helioray::artist
