// SPDX-License-Identifier: MIT
// What the commands that trace have in common: options, configuration, processes, log, progress.
#pragma once

#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "scenario/config/reader.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace helioray::app {

/// Options of commands that trace. A given option replaces the configuration's value.
struct RaytraceOptions {
    std::string config;
    std::optional<std::string> output;
    std::optional<std::string> image;
    std::optional<std::string> scenario;
    std::vector<std::string> set;  ///< dotted.key=value
    std::optional<std::string> device;
    std::string ranks;  ///< empty, a number or "auto"
    int threads = 0;    ///< 0: all cores of this machine, shared between its ranks
    std::optional<std::string> seed;
    bool restart = false;  ///< of a series: forget finished steps
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    std::string log_dir;
};

/// Adds the configuration and the options that replace its values: CONFIG, --scenario, --set.
void add_config_options(CLI::App& command, RaytraceOptions& options);

/// Adds the options of where and how to run: --device, --ranks, --threads, --seed, --json, -q, -v,
/// --log-dir. The options must outlive the command.
void add_run_options(CLI::App& command, RaytraceOptions& options);

/// Reads the configuration with these options in place of its values, as far as it can be
/// understood. A missing position of the sun is among its problems where one is required.
DraftRunConfig read_config(const RaytraceOptions& options,
                           SunPositions positions = SunPositions::required);

/// How to prepare a run with these options: restarted or not, with warnings to the log.
run::PrepareOptions prepare_options(const RaytraceOptions& options);

/// Calls `prepare` and then `work` on every rank, whether another launcher started the ranks or
/// --ranks does. Returns the exit code or throws.
int run_on_ranks(const RaytraceOptions& options,
                 const std::function<run::PreparedRun()>& prepare,
                 const std::function<void(run::Session&)>& work);

}  // namespace helioray::app
