// SPDX-License-Identifier: MIT
// Options that commands which trace have in common.
#include "app/commands/run_options.h"

#include "app/log.h"

#include <CLI/CLI.hpp>

namespace helioray::app {

void add_config_options(CLI::App& command, RaytraceOptions& options) {
    command
        .add_option("config",
                    options.config,
                    "Configuration (YAML); every key is explained in configs/README.md")
        ->required()
        ->type_name("CONFIG");
    command.add_option("--scenario", options.scenario, "Scenario file; replaces scenario")
        ->type_name("FILE");
    command
        .add_option("--set",
                    options.set,
                    "Replace one value, for example --set sun.elevation_deg=30 (repeatable)")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
}

void add_run_options(CLI::App& command, RaytraceOptions& options) {
    command
        .add_option("--device",
                    options.device,
                    "Where to compute, cuda:N on a certain device; replaces device")
        ->type_name("auto|cpu|cuda[:N]");
    command
        .add_option(
            "--ranks", options.ranks, "Start this many processes here; auto: one per GPU, or 1")
        ->type_name("N|auto");
    command
        .add_option(
            "--threads",
            options.threads,
            "Threads of each process on the CPU (default: all cores, shared between processes)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    command.add_option("--seed", options.seed, "Seed of the random numbers; replaces tracing.seed")
        ->type_name("N");
    command.add_flag("--json", options.json, "Print one JSON object on stdout and nothing else");
    CLI::Option* quiet = command.add_flag(
        "-q,--quiet", options.quiet, "No table, no progress; warnings and errors only");
    command.add_flag("-v,--verbose", options.verbose, "Say what is done and how long it takes")
        ->excludes(quiet);
    command
        .add_option("--log-dir", options.log_dir, "Write one log file per process into this folder")
        ->type_name("DIR");
}

DraftRunConfig read_config(const RaytraceOptions& options, SunPositions positions) {
    Overrides overrides;
    overrides.set = options.set;
    overrides.output = options.output;
    overrides.image = options.image;
    overrides.scenario = options.scenario;
    overrides.seed = options.seed;
    overrides.device = options.device;
    return draft_run_config(options.config, overrides, positions);
}

run::PrepareOptions prepare_options(const RaytraceOptions& options) {
    run::PrepareOptions prepare;
    prepare.restart = options.restart;
    prepare.num_threads =
        options.threads > 0
            ? options.threads
            : run::threads_of_rank(detect_launcher(EnvironmentView::from_process()));
    prepare.log = write_log;
    return prepare;
}

}  // namespace helioray::app
