// SPDX-License-Identifier: MIT
// What every command that traces does around the run engine: processes, log, progress, signals.
#pragma once

#include "app/raytrace_options.h"
#include "raytracer/run/session.h"

#include <functional>

namespace helioray::app {

/// Calls `prepare` and then `work` on every rank: on those that another launcher has started, or on
/// those that --ranks asks for. Returns the exit code or throws.
int run_on_ranks(const RaytraceOptions& options,
                 const std::function<run::PreparedRun()>& prepare,
                 const std::function<void(run::Session&)>& work);

}  // namespace helioray::app
