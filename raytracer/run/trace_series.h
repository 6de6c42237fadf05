// SPDX-License-Identifier: MIT
// Series: one trace after the other, each finished one stored.
#pragma once

#include "distributed/environment.h"
#include "raytracer/run/prepare.h"
#include "raytracer/run/trace_together.h"

#include <cstddef>
#include <filesystem>

namespace helioray::app {

/// What this start has done.
struct SeriesProgress {
    std::size_t steps_done_before = 0;
    double rays_per_second = 0.0;  ///< of the steps traced now; 0 where all were done before
};

/// Traces the steps that are not finished; rank 0 keeps each as a part beside the output. With
/// `restart` parts of earlier starts are removed first. Collective. Throws as trace_together, and
/// InputError where a step cannot be traced.
SeriesProgress trace_series(PreparedRun& run,
                            DistributedEnvironment& environment,
                            const TraceTogetherOptions& tracing,
                            bool restart);

/// Writes the series of all parts. On rank 0 alone.
void join_series(const PreparedRun& run,
                 const DistributedEnvironment& environment,
                 const std::filesystem::path& path);

}  // namespace helioray::app
