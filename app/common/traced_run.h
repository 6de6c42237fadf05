// SPDX-License-Identifier: MIT
// What the commands that trace have in common: options, configuration, processes, log, progress.
#pragma once

#include "app/common/command.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "scenario/config/reader.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

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
    std::optional<std::string> strategy;    ///< of aim points
    std::optional<std::string> flux_limit;  ///< kW/m2
    bool restart = false;                   ///< forget what earlier starts have finished
    std::string shard;  ///< of a series: "2/8" traces every eighth step from the second on
    bool join = false;  ///< of a series: only join what shards have traced
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    std::string log_dir;
};

/// Adds --set, which replaces values of a configuration.
void add_set_option(Command command, std::vector<std::string>& set);

/// Adds the configuration and the options that replace its values: CONFIG, --scenario, --set.
void add_config_options(Command command, RaytraceOptions& options);

/// Adds the options of where and how to run: --device, --ranks, --threads, --seed, --json, -q, -v,
/// --log-dir. The options must outlive the command.
void add_run_options(Command command, RaytraceOptions& options);

/// Adds what runs continue with: --restart, --shard, --join. The options must outlive the command.
void add_parts_options(Command command, RaytraceOptions& options);

/// Reads the configuration with these options in place of its values, as far as it can be
/// understood. A missing position of the sun is among its problems where one is required.
DraftRunConfig read_config(const RaytraceOptions& options,
                           SunPositions positions = SunPositions::required);

/// Logs that section aiming has no effect, where a command that chooses no aim points has one.
void report_unused_aiming(const RunConfig& config);

/// How to prepare a run with these options: restarted or not, which shard, with warnings to the
/// log. Throws InputError for a shard that makes no sense.
run::PrepareOptions prepare_options(const RaytraceOptions& options);

/// Says on rank 0 what a shard has done, as JSON where that is asked for.
void print_shard(const run::Session& session, const RaytraceOptions& options);

/// Calls `prepare` and then `work` on every rank, whether another launcher started the ranks or
/// --ranks does. Returns the exit code or throws.
int run_on_ranks(const RaytraceOptions& options,
                 const std::function<run::PreparedRun()>& prepare,
                 const std::function<void(run::Session&)>& work);

}  // namespace helioray::app
