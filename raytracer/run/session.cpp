// SPDX-License-Identifier: MIT
// Prepares a run, connects the ranks, traces, and handles failures.
#include "raytracer/run/session.h"

#include "distributed/ranks/work_master.h"
#include "distributed/ranks/worker.h"
#include "kernels/host/processor_cores.h"
#include "raytracer/run/options.h"
#include "raytracer/run/ranks/trace_together.h"
#include "raytracer/run/ranks/trace_with_workers.h"
#include "raytracer/run/ranks/watch.h"
#include "raytracer/run/ranks/work_for_root.h"
#include "raytracer/run/step_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>
#include <vector>

namespace helioray::run {

namespace {

Options completed(Options options) {
    if (!options.launch) options.launch = detect_launcher(EnvironmentView::from_process());
    return options;
}

/// Adds the problems of a rank, one per line of its message.
void add_problems(std::vector<Problem>& problems, size_t rank, const std::string& message) {
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);)
        problems.push_back({rank == 0 ? "" : fmt::format("rank {}", rank), line, "", ""});
}

/// Returns the options of the environment. `hooks` must live as long as the environment.
DistributedOptions distributed_options(const PreparedRun& run, const Options& hooks) {
    DistributedOptions options;
    // scenario and distributed do not include each other, so each has a separate enumeration.
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
    options.use_cuda = run.device.use_cuda();
    options.cuda_devices = run.device.cuda_devices;
    options.timeout = timeout_of(run.config);
    options.configuration = run.settings;
    options.launch = *hooks.launch;
    options.wait_callback = [&hooks] { check_stop(hooks); };
    options.stuck = hooks.stuck;
    return options;
}

bool is_handed_out(const PreparedRun& run, const Options& hooks) {
    return run.config.distributed.schedule == Schedule::master_worker &&
           hooks.launch->world_size > 1;
}

/// Throws InputError for a run whose work rank 0 cannot hand out.
void check_schedule(const PreparedRun& run, const Options& hooks) {
    if (!is_handed_out(run, hooks) || (hooks.can_hand_out_work && !run.chooses_aims)) return;
    throw InputError(Problem{
        place_of(run.config, "distributed.schedule"),
        run.chooses_aims ? "is master_worker, but this run chooses aim points"
                         : "is master_worker, which this command does not support",
        "rank 0 can hand out traces of given aim points only (raytrace, efficiency, and annual "
        "without aiming)",
        "choose static or dynamic"});
}

/// Returns the options of the environment of a process that takes part in no collective.
DistributedOptions options_alone(DistributedOptions options) {
    const int local_rank = options.launch.local_rank;
    // As everywhere, ranks of a machine have one device each.
    if (options.use_cuda)
        options.cuda_devices = {options.cuda_devices[static_cast<std::size_t>(local_rank) %
                                                     options.cuda_devices.size()]};
    const Launcher launcher = options.launch.launcher;
    options.launch = LaunchInfo();
    options.launch.launcher = launcher;
    options.backend = DistributedOptions::Backend::automatic;
    return options;
}

/// Connections of a session; those that it does not use are null.
struct Connections {
    std::unique_ptr<DistributedEnvironment>& own;
    std::unique_ptr<LastingRanks::Use>& lasting;
    std::unique_ptr<WorkMaster>& master;
    std::unique_ptr<Worker>& worker;
};

/// Connects as the run's configuration says.
void connect(const DistributedOptions& options,
             const PreparedRun& run,
             const Options& hooks,
             const Connections& connections) {
    if (options.problem.empty() && is_handed_out(run, hooks)) {
        connections.own = std::make_unique<DistributedEnvironment>(options_alone(options));
        if (hooks.launch->rank == 0)
            connections.master = std::make_unique<WorkMaster>(options);
        else
            connections.worker = std::make_unique<Worker>(options);
    } else if (hooks.lasting && hooks.launch->world_size > 1) {
        connections.lasting = hooks.lasting->use(options, hooks);
    } else {
        connections.own = std::make_unique<DistributedEnvironment>(options);
    }
}

/// Connects the ranks even if they failed to prepare: input may be wrong on one machine only, and
/// the others must not wait for it. If any rank failed, all throw the problems of the first failed
/// rank.
void connect(const Options& hooks,
             const std::function<PreparedRun()>& prepare,
             PreparedRun& run,
             const Connections& connections) {
    DistributedOptions options;
    std::exception_ptr problem;
    if (hooks.launch->world_size == 1) {
        run = prepare();
        options = distributed_options(run, hooks);
    } else {
        try {
            run = prepare();
            check_schedule(run, hooks);
            options = distributed_options(run, hooks);
        } catch (const std::exception& error) {
            problem = std::current_exception();
            options = distributed_options({}, hooks);
            options.problem = readable_message(error);
        }
    }
    try {
        connect(options, run, hooks, connections);
    } catch (const RanksNotReady& failure) {
        const std::vector<std::string>& messages = failure.problems();
        const auto first = std::find_if(
            messages.begin(), messages.end(), [](const auto& message) { return !message.empty(); });
        std::vector<Problem> problems;
        add_problems(problems, static_cast<size_t>(first - messages.begin()), *first);
        throw PreparationError(std::move(problems));
    } catch (const DistributedError&) {
        // A rank 0 that hands out work does not wait for a rank with a problem.
        if (problem) std::rethrow_exception(problem);
        throw;
    }
}

// Rank 0 may write and draw for a long time while the others have nothing left to do. It is watched
// as long as its session is open, so this wait needs no time-out.
constexpr auto kPatienceAtTheEnd = std::chrono::hours(24);

// This is longer than the interval between two heartbeats of a rank.
constexpr auto kPeerDelay = std::chrono::milliseconds(700);

}  // namespace

Session::Session(const std::function<PreparedRun()>& prepare, Options options)
    : options_(completed(std::move(options))), exceptions_at_start_(std::uncaught_exceptions()) {
    connect(options_, prepare, run_, {own_environment_, lasting_, master_, worker_});
    environment_ = lasting_ ? &lasting_->environment() : own_environment_.get();
    const WatchedWork watched{.phase = "the run", .progress = {}};
    watched_ = master_ ? master_->watch_progress(watched) : environment_->watch_progress(watched);
    if (options_.num_threads == 0)
        options_.num_threads =
            master_ || worker_ ? threads_of_rank(*options_.launch) : environment_->threads();
    write(options_.log,
          LogLevel::debug,
          fmt::format("device {} ({}), {} thread(s), cores {}, local rank {} of {}, backend {}, "
                      "launcher {}",
                      environment_->device_name(),
                      run_.device.reason,
                      options_.num_threads,
                      to_string(kernels::processor_cores()),
                      environment_->local_rank(),
                      environment_->local_size(),
                      environment_->backend_name(),
                      to_string(options_.launch->launcher)));
}

Session::~Session() {
    watched_.reset();
    if (!lasting_ || closed_ || !environment_->usable()) return;
    try {
        // Other sessions use the connection only after an orderly end of this one.
        if (std::uncaught_exceptions() > exceptions_at_start_)
            environment_->report_failure("its session was left by an exception");
        else
            close();
    } catch (const std::exception& error) {
        environment_->report_failure(error.what());
    }
}

double Session::trace(TraceJob& job) {
    ProgressReport progress(options_, own_rays(job, *environment_));
    return trace(job, progress);
}

void Session::work() {
    guard([&] { work_for_root(run_, *worker_, environment_->cuda_devices(), options_); });
}

double Session::trace(TraceJob& job,
                      ProgressReport& progress,
                      Checkpoint* checkpoint,
                      std::optional<std::size_t> step) {
    TraceTogetherOptions tracing;
    tracing.num_threads = options_.num_threads;
    tracing.cuda_devices = environment_->cuda_devices();
    tracing.schedule = run_.config.distributed.schedule;
    // The cost of a row of model artist is proportional to its rays.
    tracing.measure = run_.config.tracing.model == Model::physical;
    tracing.name = lasting_ ? fmt::format("trace {}.{}", lasting_->number(), traces_++)
                            : fmt::format("trace {}", traces_++);
    tracing.checkpoint = checkpoint;
    double seconds = 0.0;
    guard([&] {
        seconds =
            master_ && step
                ? trace_with_workers(
                      job, *master_, describe_job(run_, *step, job), tracing, options_, progress)
                : trace_together(job, *environment_, tracing, options_, progress);
    });
    return seconds;
}

void Session::guard(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        fail(error);
    }
}

void Session::report_stored_parts() const {
    if (!is_root() || !run_.parts || !run_.parts->is_open()) return;
    const RunParts& parts = *run_.parts;
    std::string stored;
    try {
        // A complete run has no parts any more.
        if (!parts.exists()) return;
        if (run_.is_series() || parts.num_steps() > 1) {
            stored = fmt::format("{} of {} {} are done and",
                                 parts.num_steps() - parts.missing().size(),
                                 parts.num_steps(),
                                 run_.is_series() ? "steps" : "variants");
        } else if (!parts.works(0).empty()) {
            stored = "what is traced is";
        }
    } catch (const std::exception&) {
        // The original failure is more important for users.
        return;
    }
    if (stored.empty()) return;
    write(options_.log,
          LogLevel::warning,
          fmt::format(
              "{} kept in {}; {} continues",
              stored,
              parts.folder().string(),
              options_.continued_by ? options_.continued_by(run_.output) : "the same command"));
}

void Session::fail(const std::exception& error) {
    // With nested guards, the inner one has already reported the failure.
    if (std::exchange(failed_, true)) throw;
    report_stored_parts();
    const std::string reason = options_.stop ? options_.stop() : std::string();
    // A launcher stops the other ranks within milliseconds of a failure, before they have received
    // the reason.
    const std::string cause =
        reason.empty() ? std::string() : environment_->await_failure(kPeerDelay).value_or("");
    environment_->report_failure(readable_message(error));
    if (master_) master_->report_failure(readable_message(error));
    if (worker_) worker_->report_failure(readable_message(error));
    if (reason.empty()) throw;
    throw Stopped(cause.empty() ? reason : fmt::format("{}; {}", reason, cause));
}

void Session::check_stop() const {
    run::check_stop(options_);
}

std::string Session::close_with_text(const std::string& mine) {
    std::string text = environment_->wait_for_root("result of rank 0", mine);
    // This has waited for all ranks, so lasting ranks leave the session together.
    if (lasting_) {
        closed_ = true;
        watched_.reset();
    } else {
        close();
    }
    return text;
}

void Session::close() {
    if (closed_) return;
    closed_ = true;
    // The ranks leave the session together in any case, so that files of rank 0 exist afterwards.
    if (lasting_)
        environment_->wait_for_all("end of the session", {});
    else
        environment_->close(kPatienceAtTheEnd);
    if (worker_) worker_->close();
    if (master_) {
        master_->close();
        report_losses(*master_, options_.log);
    }
    watched_.reset();
}

}  // namespace helioray::run
