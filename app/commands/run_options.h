// SPDX-License-Identifier: MIT
// Options that commands which trace have in common.
#pragma once

#include "app/raytrace_options.h"

namespace CLI {
class App;
}

namespace helioray::app {

/// The configuration and what replaces values of it: CONFIG, --scenario, --set.
void add_config_options(CLI::App& command, RaytraceOptions& options);

/// Where and how it runs: --device, --ranks, --threads, --seed, --json, -q, -v, --log-dir. The
/// options must outlive the command.
void add_run_options(CLI::App& command, RaytraceOptions& options);

}  // namespace helioray::app
