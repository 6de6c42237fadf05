// SPDX-License-Identifier: MIT
// Paths of single rays of a run whose result is stored.
#pragma once

#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/job/traced_path.h"

#include <cstdint>
#include <vector>

namespace helioray::run {

/// Traces `count` rays of the run again, or all of them if there are fewer, from the configuration
/// in the result and the scenario file that it names. They are rays of the run, all equally likely:
/// the sum of power_w over the paths with one end estimates an energy term of the field. Heliostats
/// are indices in the result. Throws InputError if the scenario file is gone or has changed, for
/// model artist, and if the mirrors do not get the poses of the result.
std::vector<TracedPath> trace_paths(const RunResult& result,
                                    std::int64_t count,
                                    int num_threads = 1);

}  // namespace helioray::run
