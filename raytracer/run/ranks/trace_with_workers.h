// SPDX-License-Identifier: MIT
// Traces a job on rank 0 and on the workers to which it hands out units.
#pragma once

#include "distributed/ranks/work_master.h"
#include "raytracer/run/options.h"
#include "raytracer/run/ranks/trace_together.h"
#include "raytracer/run/ranks/watch.h"
#include "raytracer/tracing/job/trace_job.h"

#include <string>

namespace helioray::run {

/// Logs a warning for every worker that has been lost since the last call.
void report_losses(WorkMaster& master, const Log& log);

/// Traces all units round by round until the job is accurate enough, on this rank and on all
/// workers that are connected. The sums do not depend on who traces what. text: description of the
/// job for the workers. Of the options, the schedule and the name are not used. Returns the tracing
/// time, s. Throws Stopped.
double trace_with_workers(TraceJob& job,
                          WorkMaster& master,
                          const std::string& text,
                          const TraceTogetherOptions& options,
                          const Options& hooks,
                          ProgressReport& progress);

}  // namespace helioray::run
