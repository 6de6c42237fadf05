// SPDX-License-Identifier: MIT
// Tracing on all ranks.
#pragma once

#include "distributed/environment.h"
#include "raytracer/trace_job.h"
#include "scenario/run_config.h"

namespace helioray::app {

struct TraceTogetherOptions {
    int num_threads = 1;  ///< of this rank
    bool use_cuda = false;
    Schedule schedule = Schedule::static_;
    bool measure = false;  ///< time some units to balance a static schedule
    bool show_progress = false;
};

/// Traces this rank's units, round by round until the job is accurate enough, and adds up all
/// ranks' sums. Collective. Returns the seconds it took. Throws Interrupted and DistributedError.
double trace_together(TraceJob& job,
                      DistributedEnvironment& environment,
                      const TraceTogetherOptions& options);

}  // namespace helioray::app
