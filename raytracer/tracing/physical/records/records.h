// SPDX-License-Identifier: MIT
// Converts distributions of the sun and of errors, and targets, to the kernels' records.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/types/angle_table.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"
#include "scenario/types/vector_math.h"

#include <span>
#include <vector>

namespace helioray::physical {

/// Copies a vector to a record, rounded to float32.
inline void set(float (&destination)[3], const Vec3& source) {
    for (size_t i = 0; i < 3; ++i) destination[i] = static_cast<float>(source[i]);
}

/// Returns the numbers of FieldView::incidence_table for factors by angle of incidence.
std::vector<float> incidence_table(std::span<const AngleValue> factors);

/// Returns the sun's distribution; appends its tables to `floats`. Throws InputError for parameters
/// outside their range.
kernels::AngularShape sun_record(const SunShape& shape, std::vector<float>& floats);

/// Returns the distribution of a slope or specularity error.
kernels::AngularShape error_record(const ErrorShape& shape);

/// Returns the transmittance of the air.
kernels::AirRecord air_record(const AttenuationConfig& config);

/// Returns the largest angle that the kernels can draw, radians.
double largest_angle(const kernels::AngularShape& shape);

/// Returns the record of a target with the settings that the configuration adds; appends the edges
/// of an outline to `floats`. Throws InputError for a cylinder whose opening angle exceeds a full
/// turn.
kernels::TargetRecord target_record(const Target& target,
                                    const TargetConfig& config,
                                    const TargetFrame& frame,
                                    std::vector<float>& floats);

}  // namespace helioray::physical
