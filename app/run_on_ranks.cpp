// SPDX-License-Identifier: MIT
// One command on one process or many.
#include "app/run_on_ranks.h"

#include "app/failure.h"
#include "app/instruction_set.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/ranks.h"
#include "raytracer/provenance.h"

#include <spdlog/spdlog.h>

#include "helioray/version.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace helioray::app {

namespace {

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
    options.timeout = timeout_of(run.config);
    options.configuration_hash = run.configuration_hash;
    options.launch = launch;
    return options;
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

int run_rank(const RaytraceOptions& options,
             const LaunchInfo& launch,
             const std::function<PreparedRun()>& prepare,
             const WorkOfRank& work) {
    const auto verbosity = options.verbose                   ? Verbosity::verbose
                           : (options.quiet || options.json) ? Verbosity::quiet
                                                             : Verbosity::normal;
    set_up_log(verbosity, launch.rank, launch.world_size, options.log_dir);

    PreparedRun run = prepare_together(launch, prepare);
    DistributedEnvironment environment(distributed_options(run, launch));
    try {
        const int threads = choose_threads(options, launch);
        spdlog::debug("device {} ({}), {} thread(s), backend {}, launcher {}",
                      environment.device_name(),
                      run.device.reason,
                      threads,
                      environment.backend_name(),
                      to_string(launch.launcher));
        TraceTogetherOptions tracing;
        tracing.num_threads = threads;
        tracing.use_cuda = run.device.use_cuda;
        tracing.schedule = run.config.distributed.schedule;
        // Rows of model artist cost what their rays say.
        tracing.measure = run.config.tracing.model == Model::physical;
        tracing.show_progress = environment.is_root() && verbosity != Verbosity::quiet;
        work(run, environment, tracing);
    } catch (const std::exception& error) {
        const int signal = pending_signal();
        const std::string cause = signal != 0 ? failed_rank(environment) : std::string();
        environment.report_failure(readable_message(error));
        // What fails while a launcher ends all ranks is an effect of the signal.
        if (signal != 0) throw Interrupted(signal, cause);
        throw;
    }
    environment.close();
    return 0;
}

}  // namespace

int run_on_ranks(const RaytraceOptions& options,
                 const std::function<PreparedRun()>& prepare,
                 const WorkOfRank& work) {
    const LaunchInfo launch = detect_launcher(EnvironmentView::from_process());
    if (const int ranks = local_ranks_wanted(options, launch); ranks > 1) {
        return start_local_ranks(ranks);
    }
    return run_rank(options, launch, prepare, work);
}

void complete_provenance(Provenance& provenance,
                         const PreparedRun& run,
                         const DistributedEnvironment& environment) {
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
    provenance.instruction_set = instruction_set_of(run);
}

}  // namespace helioray::app
