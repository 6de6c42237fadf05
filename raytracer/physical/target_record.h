// SPDX-License-Identifier: MIT
// Targets as the kernels know them.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/geometry/target_frame.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <vector>

namespace helioray::physical {

/// The target for the kernels, with what the configuration adds to it; edges of an outline are
/// appended to floats. Throws InputError for a cylinder whose opening angle exceeds a full turn.
kernels::TargetRecord target_record(const Target& target,
                                    const TargetConfig& config,
                                    const TargetFrame& frame,
                                    std::vector<float>& floats);

/// A target's shape of default size, by the kernels' name for it. Throws std::invalid_argument for
/// a number that is not one of them.
TargetShape shape_of(kernels::TargetKind kind);

}  // namespace helioray::physical
