// SPDX-License-Identifier: MIT
// Tracing on all ranks.
#pragma once

#include "distributed/environment.h"
#include "raytracer/trace_job.h"
#include "scenario/run_config.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace helioray::app {

struct TraceTogetherOptions {
    int num_threads = 1;  ///< of this rank
    bool use_cuda = false;
    Schedule schedule = Schedule::static_;
    bool measure = false;  ///< time some units to balance a static schedule
    bool show_progress = false;
    /// Tells several traces in one environment apart: new for each of them, equal on all ranks.
    std::string name;
    /// Counts this rank's rays for a progress display of the caller's; nothing: one of its own.
    std::atomic<int64_t>* rays_done = nullptr;
};

/// Rays that this rank will trace, about; what a progress display takes for the whole.
int64_t own_rays(const TraceJob& job, const DistributedEnvironment& environment);

/// Traces this rank's units, round by round until the job is accurate enough, and adds up all
/// ranks' sums. Collective. Returns the seconds it took. Throws Interrupted and DistributedError.
double trace_together(TraceJob& job,
                      DistributedEnvironment& environment,
                      const TraceTogetherOptions& options);

}  // namespace helioray::app
