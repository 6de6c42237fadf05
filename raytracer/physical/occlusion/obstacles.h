// SPDX-License-Identifier: MIT
// Bodies of the configuration (tower, receiver) as the kernels know them.
#pragma once

#include "kernels/trace_types.h"
#include "raytracer/target_frame.h"
#include "scenario/run_config.h"

namespace helioray::physical {

/// The body in the frame of a target.
kernels::ObstacleRecord obstacle_record(const ObstacleConfig& obstacle, const TargetFrame& frame);

}  // namespace helioray::physical
