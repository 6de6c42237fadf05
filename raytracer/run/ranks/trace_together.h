// SPDX-License-Identifier: MIT
// Traces a job on all ranks.
#pragma once

#include "distributed/ranks/environment.h"
#include "raytracer/run/options.h"
#include "raytracer/run/ranks/checkpoint.h"
#include "raytracer/run/ranks/watch.h"
#include "raytracer/tracing/job/trace_job.h"
#include "scenario/types/run_config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace helioray::run {

struct TraceTogetherOptions {
    int num_threads = 1;            ///< number of threads of this rank
    std::vector<int> cuda_devices;  ///< CUDA devices that trace the units of this rank; empty: CPU
    Schedule schedule = Schedule::static_;
    bool measure = false;  ///< time some units to balance a static schedule
    /// Name of the trace: unique within an environment, equal on all ranks.
    std::string name;
    /// Checkpoint that has already been restored; null: trace from the start and store nothing.
    Checkpoint* checkpoint = nullptr;
};

/// Returns the approximate number of rays that this rank will trace, for a progress display.
/// done_before: rays of all ranks that need not be traced.
int64_t own_rays(const TraceJob& job,
                 const DistributedEnvironment& environment,
                 int64_t done_before = 0);

/// Traces this rank's units, round by round until the job is accurate enough, and adds the sums of
/// all ranks. If it ends unfinished, the checkpoint stores the work of this rank. Collective.
/// Returns the tracing time, s. Throws Stopped and DistributedError.
double trace_together(TraceJob& job,
                      DistributedEnvironment& environment,
                      const TraceTogetherOptions& options,
                      const Options& hooks,
                      ProgressReport& progress);

}  // namespace helioray::run
