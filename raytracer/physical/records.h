// SPDX-License-Identifier: MIT
// Distributions of the sun and of errors, and targets, as the kernels' records.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/geometry/frames.h"
#include "scenario/run_config.h"
#include "scenario/types.h"
#include "scenario/vector_math.h"

#include <vector>

namespace helioray::physical {

/// Rounds a vector into a record.
inline void set(float (&destination)[3], const Vec3& source) {
    for (size_t i = 0; i < 3; ++i) destination[i] = static_cast<float>(source[i]);
}

/// The sun's distribution; tables are appended to floats. Throws InputError for shapes outside of
/// their range.
kernels::AngularShape sun_record(const SunShape& shape, std::vector<float>& floats);

/// The distribution of a slope or specularity error.
kernels::AngularShape error_record(const ErrorShape& shape);

/// Largest angle that the kernels can draw, radians.
double largest_angle(const kernels::AngularShape& shape);

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
