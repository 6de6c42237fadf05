// SPDX-License-Identifier: MIT
// Preparing together, connecting, tracing, failing.
#include "raytracer/run/session.h"

#include "raytracer/run/options.h"
#include "raytracer/run/trace_together.h"
#include "raytracer/run/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace helioray::run {

namespace {

Options completed(Options options) {
    if (!options.launch) options.launch = detect_launcher(EnvironmentView::from_process());
    if (options.num_threads == 0) options.num_threads = threads_of_rank(*options.launch);
    return options;
}

/// distributed.timeout_s, at least a millisecond.
std::chrono::milliseconds timeout_of(const RunConfig& config) {
    // Rounded up: a wait of less than a millisecond is still a wait.
    return std::chrono::milliseconds(
        static_cast<int64_t>(std::ceil(config.distributed.timeout_s * 1000.0)));
}

/// The problems of a rank as lines.
void add_problems(std::vector<Problem>& problems, size_t rank, const std::string& message) {
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);)
        problems.push_back({rank == 0 ? "" : fmt::format("rank {}", rank), line, "", ""});
}

/// Calls prepare on every rank; when it fails anywhere, every rank throws the first one's problems.
PreparedRun prepare_together(const Options& hooks, const std::function<PreparedRun()>& prepare) {
    const LaunchInfo& launch = *hooks.launch;
    if (launch.world_size == 1) return prepare();

    // Input may be wrong on one machine only; the others must not wait for it.
    std::optional<PreparedRun> run;
    std::string message;
    try {
        run = prepare();
    } catch (const std::exception& error) {
        message = readable_message(error);
    }
    DistributedOptions options;
    options.backend = DistributedOptions::Backend::gloo;
    if (run) options.timeout = timeout_of(run->config);
    options.launch = launch;
    options.while_waiting = [&hooks] { check_stop(hooks); };
    DistributedEnvironment environment(options);
    const std::vector<std::string> messages = environment.all_gather_strings(message);
    environment.close();
    for (size_t rank = 0; rank < messages.size(); ++rank) {
        if (messages[rank].empty()) continue;
        std::vector<Problem> problems;
        add_problems(problems, rank, messages[rank]);
        throw PreparationError(std::move(problems));
    }
    return std::move(*run);
}

/// `hooks` live as long as the environment.
DistributedOptions distributed_options(const PreparedRun& run, const Options& hooks) {
    DistributedOptions options;
    // scenario and distributed do not include each other, so each has its own enumeration.
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
    options.launch = *hooks.launch;
    options.while_waiting = [&hooks] { check_stop(hooks); };
    return options;
}

/// Why another rank has failed; empty when none has. A launcher stops the other ranks within
/// milliseconds of a failure, before they have heard of it.
std::string failed_rank(DistributedEnvironment& environment) {
    constexpr auto kPause = std::chrono::milliseconds(50);
    constexpr int kMostLooks = 14;  // more than the time between two heartbeats
    for (int look = 0; look < kMostLooks && environment.world_size() > 1; ++look) {
        try {
            environment.check_peers();
        } catch (const DistributedError& error) {
            return error.what();
        }
        std::this_thread::sleep_for(kPause);
    }
    return {};
}

}  // namespace

Session::Session(const std::function<PreparedRun()>& prepare, Options options)
    : options_(completed(std::move(options))),
      run_(prepare_together(options_, prepare)),
      environment_(std::make_unique<DistributedEnvironment>(distributed_options(run_, options_))) {
    write(options_.log,
          LogLevel::debug,
          fmt::format("device {} ({}), {} thread(s), backend {}, launcher {}",
                      environment_->device_name(),
                      run_.device.reason,
                      options_.num_threads,
                      environment_->backend_name(),
                      to_string(options_.launch->launcher)));
}

Session::~Session() = default;

double Session::trace(TraceJob& job) {
    ProgressReport progress(options_, own_rays(job, *environment_));
    return trace(job, progress);
}

double Session::trace(TraceJob& job, ProgressReport& progress, Checkpoint* checkpoint) {
    TraceTogetherOptions tracing;
    tracing.num_threads = options_.num_threads;
    tracing.use_cuda = run_.device.use_cuda;
    tracing.schedule = run_.config.distributed.schedule;
    // The cost of a row of model artist follows from its rays.
    tracing.measure = run_.config.tracing.model == Model::physical;
    tracing.name = fmt::format("trace {}", traces_++);
    tracing.checkpoint = checkpoint;
    double seconds = 0.0;
    guard([&] { seconds = trace_together(job, *environment_, tracing, options_, progress); });
    return seconds;
}

void Session::guard(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        fail(error);
    }
}

void Session::fail(const std::exception& error) {
    // Where guards are nested, the inner one has said it all.
    if (std::exchange(failed_, true)) throw;
    const std::string reason = options_.stop ? options_.stop() : std::string();
    const std::string cause = reason.empty() ? std::string() : failed_rank(*environment_);
    environment_->report_failure(readable_message(error));
    if (reason.empty()) throw;
    throw Stopped(cause.empty() ? reason : fmt::format("{}; {}", reason, cause));
}

void Session::check_stop() const {
    run::check_stop(options_);
}

void Session::close() {
    environment_->close();
}

}  // namespace helioray::run
