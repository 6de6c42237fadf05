// SPDX-License-Identifier: MIT
// Several processes of this command, started here.
#pragma once

#include "app/raytrace_options.h"
#include "distributed/launcher.h"

namespace helioray::app {

/// What --ranks asks for: 0 or 1 when nothing has to be started. Throws InputError for nonsense and
/// for --ranks below another launcher.
int local_ranks_wanted(const RaytraceOptions& options, const LaunchInfo& launch);

/// Runs this command again on `ranks` local processes and returns their common exit code.
int start_local_ranks(int ranks);

}  // namespace helioray::app
