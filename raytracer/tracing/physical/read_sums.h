// SPDX-License-Identifier: MIT
// Flux maps and energy terms in SI units from the integer sums of a trace.
#pragma once

#include "kernels/core/sums_layout.h"
#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/physical/prepared_field.h"

#include <cstdint>
#include <functional>

namespace helioray::physical {

/// Returns targets, heliostats and the number of rays from the sums of one or more complete rounds.
/// Omits targets at which no heliostat aims. done_with: called with the range of a heliostat's map
/// among the sums once the map has been read.
RunResult read_sums(const PreparedField& prepared,
                    const kernels::SumsLayout& layout,
                    const int64_t* sums,
                    const std::function<void(int64_t begin, int64_t end)>& done_with = {});

}  // namespace helioray::physical
