// SPDX-License-Identifier: MIT
// Code shared by the commands that trace: options, configuration, processes, log, progress.
#pragma once

#include "app/program/common/command.h"
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
    std::vector<std::string> set;  ///< entries "dotted.key=value"
    std::optional<std::string> device;
    std::string ranks;  ///< empty, a number or "auto"
    int threads = 0;    ///< 0: all cores of this machine, divided among its ranks
    std::optional<std::string> seed;
    std::optional<std::string> strategy;    ///< strategy of aim points
    std::optional<std::string> flux_limit;  ///< limit in kW/m2
    bool restart = false;                   ///< discards the results of earlier starts
    /// Part of a series: "2/8" traces every eighth step, starting with the second.
    std::string shard;
    bool join = false;  ///< only joins the results of the shards of a series
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    std::string log_dir;
};

/// Adds --set, which replaces values of a configuration.
void add_set_option(Command command, std::vector<std::string>& set);

/// Adds the configuration and the options that replace its values: CONFIG, --scenario, --set.
void add_config_options(Command command, RaytraceOptions& options);

/// Adds the options for device, processes and messages: --device, --ranks, --threads, --seed,
/// --json, -q, -v, --log-dir. The options must outlive the command.
void add_run_options(Command command, RaytraceOptions& options);

/// Adds the options for divided and repeated runs: --restart, --shard, --join. The options must
/// outlive the command.
void add_parts_options(Command command, RaytraceOptions& options);

/// Reads as much of the configuration as possible, with these options in place of its values. If a
/// position of the sun is required, its absence is among the problems.
DraftRunConfig read_config(const RaytraceOptions& options,
                           SunPositions positions = SunPositions::required);

/// Returns the paths of all keys that give the position of the sun, for commands with their own.
std::vector<std::string> sun_position_paths();

/// Logs those of the keys and sections that the configuration contains: "not used, WHY: KEYS".
void report_unused_keys(const RunConfig& config,
                        const std::vector<std::string>& keys,
                        const std::string& why);

/// Logs that section aiming has no effect, for commands that do not choose aim points.
void report_unused_aiming(const RunConfig& config);
/// Logs that soiling and outages of years have no effect, if the configuration has them.
void report_unused_year_state(const RunConfig& config);

/// Converts the options to those of preparing a run: restart, shard, and warnings to the log.
/// Throws InputError for an invalid shard.
run::PrepareOptions prepare_options(const RaytraceOptions& options);

/// Prints on rank 0 what a shard has done, as JSON if requested.
void print_shard(const run::Session& session, const RaytraceOptions& options);

/// Says if a command can run with distributed.schedule: master_worker.
enum class HandsOutWork { never, if_configured };

/// Calls `prepare` and then `work` on every rank, regardless of whether --ranks or another launcher
/// starts the ranks. Where rank 0 hands out work, only rank 0 calls `work`. Returns the exit code
/// or throws.
int run_on_ranks(const RaytraceOptions& options,
                 const std::function<run::PreparedRun()>& prepare,
                 const std::function<void(run::Session&)>& work,
                 HandsOutWork hands_out = HandsOutWork::never);

}  // namespace helioray::app
