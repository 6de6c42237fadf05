// SPDX-License-Identifier: MIT
// The surfaces of all receivers of a plant in one frame, as records of the kernels.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/types/types.h"

#include <optional>
#include <span>
#include <vector>

namespace helioray::physical {

/// Returns the frame in which all surfaces of receivers are traced: along east, north and up, from
/// the mean of their centres. No value if no target belongs to a receiver.
std::optional<TargetFrame> receivers_frame(std::span<const Target> targets);

/// Returns the record of a surface. shape: its record as a target; index: index of its map.
kernels::SurfaceRecord surface_record(const Target& target,
                                      const kernels::TargetRecord& shape,
                                      size_t index,
                                      const TargetFrame& shared);

}  // namespace helioray::physical
