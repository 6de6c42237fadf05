// SPDX-License-Identifier: MIT
// The main job: configuration -> flux maps, on one process or many.
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/prepare.h"
#include "app/ranks.h"
#include "app/run_watch.h"
#include "distributed/environment.h"
#include "distributed/partition.h"
#include "raytracer/output/flux_plot.h"
#include "raytracer/output/progress.h"
#include "raytracer/output/result_file.h"
#include "raytracer/output/summary.h"
#include "raytracer/provenance.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "helioray/version.h"
#include <chrono>
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

/// This rank's part of the units [begin, end): contiguous, balanced by rays.
std::pair<int64_t, int64_t> own_units(const TraceJob& job,
                                      int64_t begin,
                                      int64_t end,
                                      const DistributedEnvironment& environment) {
    std::vector<double> rays;
    for (int64_t unit = begin; unit < end; ++unit) {
        rays.push_back(static_cast<double>(job.rays_of_unit(unit)));
    }
    const auto parts = partition_by_cost(rays, environment.world_size());
    const auto& part = parts[static_cast<size_t>(environment.rank())];
    return {begin + part.first, begin + part.second};
}

/// Returns when every rank has come here `count` times. Ranks finish at different times; waiting
/// for the slow ones is no failure and has no time-out, a lost rank or a signal ends it.
void wait_for_all(DistributedEnvironment& environment, RunWatch& watch, int64_t count) {
    if (environment.world_size() == 1) return;
    environment.fetch_add("traced", 1);
    auto pause = std::chrono::milliseconds(1);
    while (environment.fetch_add("traced", 0) < count * environment.world_size()) {
        watch.rethrow();
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::milliseconds(100));
    }
}

/// Traces this rank's units, round by round until the job is accurate enough, and adds up all
/// ranks' sums. Returns the seconds it took.
double trace_and_reduce(TraceJob& job,
                        DistributedEnvironment& environment,
                        int num_threads,
                        bool use_cuda,
                        bool show_progress) {
    const auto start = Clock::now();
    RunWatch watch([&] { environment.check_peers(); });
    std::vector<std::pair<int64_t, int64_t>> own_rounds;
    int64_t own_rays = 0;
    for (int64_t begin = 0; const int64_t end : job.round_ends()) {
        own_rounds.push_back(own_units(job, begin, end, environment));
        const auto& [first, last] = own_rounds.back();
        for (int64_t unit = first; unit < last; ++unit) own_rays += job.rays_of_unit(unit);
        begin = end;
    }
    std::atomic<int64_t> rays_done{0};
    {
        const ProgressBar progress(
            rays_done,
            own_rays,
            show_progress ? ProgressBar::Show::on_terminal : ProgressBar::Show::never);
        TraceControl control;
        control.num_threads = num_threads;
        control.use_cuda = use_cuda;
        control.rays_done = &rays_done;
        control.cancel = &watch.cancel();
        for (size_t round = 0; round < own_rounds.size(); ++round) {
            job.trace(own_rounds[round].first, own_rounds[round].second, control);
            watch.rethrow();
            wait_for_all(environment, watch, static_cast<int64_t>(round) + 1);
            if (round + 1 == own_rounds.size()) break;
            // Everybody sees the same integers, so everybody stops or goes on.
            at::Tensor interim = job.interim_sums();
            environment.all_reduce_sum(interim);
            watch.rethrow();
            if (job.is_accurate_enough(interim)) break;
        }
    }
    spdlog::debug("traced {} rays in {:.3f} s", rays_done.load(), seconds_since(start));
    environment.all_reduce_sum(job.sums());
    watch.rethrow();
    return seconds_since(start);
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
        const bool show_progress = environment.is_root() && verbosity != Verbosity::quiet;
        const double trace_seconds =
            trace_and_reduce(*run.job, environment, threads, run.device.use_cuda, show_progress);
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
        environment.report_failure(error.what());
        throw;
    }
    environment.close();
    return 0;
}

}  // namespace

int run(const RaytraceOptions& options) {
    const LaunchInfo launch = detect_launcher(EnvironmentView::from_process());
    if (const int ranks = local_ranks_wanted(options, launch); ranks > 1) {
        return start_local_ranks(ranks);
    }
    return run_rank(options, launch);
}

}  // namespace helioray::app
