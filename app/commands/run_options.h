// SPDX-License-Identifier: MIT
// Options that commands which trace have in common.
#pragma once

#include "app/raytrace_options.h"
#include "raytracer/run/prepare.h"
#include "scenario/config/reader.h"

namespace CLI {
class App;
}

namespace helioray::app {

/// The configuration and what replaces values of it: CONFIG, --scenario, --set.
void add_config_options(CLI::App& command, RaytraceOptions& options);

/// Where and how it runs: --device, --ranks, --threads, --seed, --json, -q, -v, --log-dir. The
/// options must outlive the command.
void add_run_options(CLI::App& command, RaytraceOptions& options);

/// Reads the configuration with these options in place of its values, as far as it can be
/// understood. A missing position of the sun is among its problems where one is required.
DraftRunConfig read_config(const RaytraceOptions& options,
                           SunPositions positions = SunPositions::required);

/// How a command prepares its run: with --restart, and warnings to the log.
run::PrepareOptions prepare_options(const RaytraceOptions& options);

}  // namespace helioray::app
