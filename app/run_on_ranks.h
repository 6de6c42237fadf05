// SPDX-License-Identifier: MIT
// What every command that traces does around its work: processes, log, preparation, environment,
// failures.
#pragma once

#include "distributed/environment.h"
#include "raytracer/run/prepare.h"
#include "raytracer/run/trace_together.h"

#include <functional>

namespace helioray::app {

/// Called once on every rank. The tracing options are complete; their name is the caller's.
using WorkOfRank = std::function<void(
    PreparedRun& run, DistributedEnvironment& environment, const TraceTogetherOptions& tracing)>;

/// Starts the processes that --ranks asks for, or prepares on every rank and works. Returns the
/// exit code or throws.
int run_on_ranks(const RaytraceOptions& options,
                 const std::function<PreparedRun()>& prepare,
                 const WorkOfRank& work);

/// Everything but rays, fingerprint and direction to the sun.
void complete_provenance(Provenance& provenance,
                         const PreparedRun& run,
                         const DistributedEnvironment& environment);

}  // namespace helioray::app
