// SPDX-License-Identifier: MIT
// Several processes: starting them here, and preparing a run on all of them without leaving one
// behind.
#pragma once

#include "app/raytrace_options.h"
#include "distributed/launcher.h"
#include "raytracer/run/prepare.h"

#include <chrono>
#include <functional>

namespace helioray::app {

/// distributed.timeout_s, at least a millisecond.
std::chrono::milliseconds timeout_of(const RunConfig& config);

/// What --ranks asks for: 0 or 1 when nothing has to be started. Throws InputError for nonsense and
/// for --ranks below another launcher.
int local_ranks_wanted(const RaytraceOptions& options, const LaunchInfo& launch);

/// Runs this command again on `ranks` local processes and returns their common exit code.
int start_local_ranks(int ranks);

/// Calls prepare on every rank; when it fails anywhere, every rank leaves with exit code 2 and the
/// message appears once.
PreparedRun prepare_together(const LaunchInfo& launch, const std::function<PreparedRun()>& prepare);

}  // namespace helioray::app
