// SPDX-License-Identifier: MIT
// The main job: configuration -> flux maps, on one process or many.
#include "app/commands/commands.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/prepare.h"
#include "app/ranks.h"
#include "app/trace_together.h"
#include "distributed/environment.h"
#include "raytracer/output/flux_plot.h"
#include "raytracer/output/result_file.h"
#include "raytracer/output/summary.h"
#include "raytracer/provenance.h"

#include <ATen/Parallel.h>
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "helioray/version.h"
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

namespace helioray::app {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Cores of this machine divided by the ranks on it, unless the user said otherwise.
int choose_threads(const RaytraceOptions& options, const LaunchInfo& launch) {
    if (options.threads > 0) return options.threads;
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / std::max(1, launch.local_world_size));
}

DistributedOptions distributed_options(const PreparedRun& run, const LaunchInfo& launch) {
    DistributedOptions options;
    using Wire = DistributedOptions::Backend;
    switch (run.config.distributed.backend) {
        case Backend::automatic:
            options.backend = Wire::automatic;
            break;
        case Backend::nccl:
            options.backend = Wire::nccl;
            break;
        case Backend::gloo:
            options.backend = Wire::gloo;
            break;
    }
    options.use_cuda = run.device.use_cuda;
    options.cuda_index = run.device.cuda_index;
    options.timeout =
        std::chrono::milliseconds(static_cast<int64_t>(run.config.distributed.timeout_s * 1000.0));
    options.configuration_hash = run.configuration_hash;
    options.launch = launch;
    return options;
}

void complete_provenance(RunResult& result,
                         const PreparedRun& run,
                         const TraceJob& job,
                         const DistributedEnvironment& environment) {
    Provenance& provenance = result.provenance;
    provenance.helioray_version = kVersion;
    provenance.git_commit = kGitCommit;
    provenance.created = utc_now();
    provenance.config = run.config.text;
    provenance.scenario_file = run.config.scenario.string();
    provenance.scenario_sha256 = run.scenario_sha256;
    provenance.seed = run.config.tracing.seed;
    provenance.world_size = environment.world_size();
    provenance.backend = environment.backend_name();
    provenance.device = environment.device_name();
    provenance.launcher = to_string(environment.launch().launcher);
    provenance.fingerprint = fingerprint(const_cast<TraceJob&>(job).sums());
}

void write_outputs(const RunResult& result, const PreparedRun& run) {
    check_interrupt();
    if (!run.output.empty()) write_result(result, run.output);
    if (!run.image.empty()) plot_flux(result, run.image);
}

void print_result(const RunResult& result, const PreparedRun& run, const RaytraceOptions& options) {
    OutputFiles files;
    if (!run.output.empty()) files.result = run.output;
    if (!run.image.empty()) files.image = run.image;
    if (options.json) {
        using Json = nlohmann::json;
        fmt::print(
            "{}\n",
            summary_json(result, files).dump(-1, ' ', false, Json::error_handler_t::replace));
    } else if (!options.quiet) {
        fmt::print("{}", summary_text(result, files));
    }
}

/// Why another rank is known to have failed; empty when none has.
std::string failed_rank(DistributedEnvironment& environment) {
    try {
        environment.check_peers();
    } catch (const DistributedError& error) {
        return error.what();
    }
    return {};
}

int run_rank(const RaytraceOptions& options, const LaunchInfo& launch) {
    const auto start = Clock::now();
    const auto verbosity = options.verbose                   ? Verbosity::verbose
                           : (options.quiet || options.json) ? Verbosity::quiet
                                                             : Verbosity::normal;
    set_up_log(verbosity, launch.rank, launch.world_size, options.log_dir);

    // Tensors of the preparation are small: threads that wait for each other cost more than they
    // give.
    at::set_num_threads(1);
    PreparedRun run = prepare_together(launch, [&] { return prepare_run(read_config(options)); });
    DistributedEnvironment environment(distributed_options(run, launch));
    try {
        const int threads = choose_threads(options, launch);
        spdlog::debug("device {} ({}), {} thread(s), backend {}, launcher {}",
                      environment.device_name(),
                      run.device.reason,
                      threads,
                      environment.backend_name(),
                      to_string(launch.launcher));
        // Model artist traces with Torch's threads, model physical with its own.
        if (run.config.tracing.model == Model::artist) at::set_num_threads(threads);
        TraceTogetherOptions tracing;
        tracing.num_threads = threads;
        tracing.use_cuda = run.device.use_cuda;
        tracing.schedule = run.config.distributed.schedule;
        // Rows of model artist cost what their rays say.
        tracing.measure = run.config.tracing.model == Model::physical;
        tracing.show_progress = environment.is_root() && verbosity != Verbosity::quiet;
        const double trace_seconds = trace_together(*run.job, environment, tracing);
        if (environment.is_root()) {
            RunResult result = run.job->result();
            complete_provenance(result, run, *run.job, environment);
            write_outputs(result, run);
            result.trace_seconds = trace_seconds;
            result.rays_per_second = static_cast<double>(result.provenance.rays) / trace_seconds;
            result.total_seconds = seconds_since(start);
            result.peak_rss_mb = peak_rss_mb();
            if (const auto warning = accuracy_warning(result)) spdlog::warn("{}", *warning);
            print_result(result, run, options);
        }
    } catch (const std::exception& error) {
        const int signal = pending_signal();
        const std::string cause = signal != 0 ? failed_rank(environment) : std::string();
        environment.report_failure(error.what());
        // What fails while a launcher ends all ranks is an effect of the signal.
        if (signal != 0) throw Interrupted(signal, cause);
        throw;
    }
    environment.close();
    return 0;
}

int run(const RaytraceOptions& options) {
    const LaunchInfo launch = detect_launcher(EnvironmentView::from_process());
    if (const int ranks = local_ranks_wanted(options, launch); ranks > 1) {
        return start_local_ranks(ranks);
    }
    return run_rank(options, launch);
}

}  // namespace

void add_raytrace(CLI::App& parent, Action& action) {
    const auto options = std::make_shared<RaytraceOptions>();
    CLI::App& command = *parent.add_subcommand(
        "raytrace",
        "Trace a field: configuration -> flux maps and energy balance per target and heliostat");
    command
        .add_option("config",
                    options->config,
                    "Configuration (YAML); every key is explained in configs/README.md")
        ->required()
        ->type_name("CONFIG");
    command.add_option("-o,--output", options->output, "Result file (HDF5); replaces output.file")
        ->type_name("FILE");
    command
        .add_option(
            "--image", options->image, "Picture (.png, .svg or .pdf); replaces output.image")
        ->type_name("FILE");
    command.add_option("--scenario", options->scenario, "Scenario file; replaces scenario")
        ->type_name("FILE");
    command
        .add_option("--set",
                    options->set,
                    "Replace one value, for example --set sun.elevation_deg=30 (repeatable)")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--device", options->device, "auto, cpu, cuda or cuda:<index>; replaces device")
        ->type_name("DEVICE");
    command
        .add_option(
            "--ranks", options->ranks, "Start this many processes here; auto: one per GPU, or 1")
        ->type_name("N|auto");
    command
        .add_option(
            "--threads",
            options->threads,
            "Threads of each process on the CPU (default: all cores, shared between processes)")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    command
        .add_option("--seed", options->seed, "Seed of the random numbers; replaces tracing.seed")
        ->type_name("N");
    command.add_flag("--json", options->json, "Print one JSON object on stdout and nothing else");
    CLI::Option* quiet = command.add_flag(
        "-q,--quiet", options->quiet, "No table, no progress; warnings and errors only");
    command.add_flag("-v,--verbose", options->verbose, "Say what is done and how long it takes")
        ->excludes(quiet);
    command
        .add_option(
            "--log-dir", options->log_dir, "Write one log file per process into this folder")
        ->type_name("DIR");
    command.footer(
        "Examples:\n"
        "  helioray raytrace configs/quickstart.yaml\n"
        "  helioray raytrace field.yaml --set sun.azimuth_deg=120 -o morning.h5 --image "
        "morning.png\n"
        "  helioray raytrace field.yaml --ranks 4\n"
        "  torchrun --no-python --nproc-per-node 4 helioray raytrace field.yaml\n"
        "Exit codes: 0 done; 2 bad input, found before any work; 1 anything else; 130/143 "
        "interrupted/terminated.");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app
