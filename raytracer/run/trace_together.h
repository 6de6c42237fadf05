// SPDX-License-Identifier: MIT
// Tracing on all ranks.
#pragma once

#include "distributed/environment.h"
#include "raytracer/job/trace_job.h"
#include "raytracer/run/checkpoint.h"
#include "raytracer/run/options.h"
#include "raytracer/run/watch.h"
#include "scenario/run_config.h"

#include <cstdint>
#include <string>

namespace helioray::run {

struct TraceTogetherOptions {
    int num_threads = 1;  ///< of this rank
    bool use_cuda = false;
    Schedule schedule = Schedule::static_;
    bool measure = false;  ///< time some units to balance a static schedule
    /// Tells several traces in one environment apart: new for each of them, equal on all ranks.
    std::string name;
    Checkpoint* checkpoint = nullptr;  ///< restored already; nothing: from the start, keeps nothing
};

/// About how many rays this rank will trace; the total for a progress display. done_before: rays of
/// all ranks that need not be traced.
int64_t own_rays(const TraceJob& job,
                 const DistributedEnvironment& environment,
                 int64_t done_before = 0);

/// Traces this rank's units, round by round until the job is accurate enough, and adds up all
/// ranks' sums. Where it ends unfinished, the checkpoint keeps what this rank has traced.
/// Collective. Returns the seconds it took. Throws Stopped and DistributedError.
double trace_together(TraceJob& job,
                      DistributedEnvironment& environment,
                      const TraceTogetherOptions& options,
                      const Options& hooks,
                      ProgressReport& progress);

}  // namespace helioray::run
