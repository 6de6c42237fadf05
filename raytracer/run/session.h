// SPDX-License-Identifier: MIT
// A prepared run on connected ranks, in which jobs are traced.
#pragma once

#include "distributed/ranks/environment.h"
#include "raytracer/run/lasting_ranks.h"
#include "raytracer/run/options.h"
#include "raytracer/run/prepare.h"
#include "raytracer/tracing/job/trace_job.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace helioray {
class Worker;
class WorkMaster;
}  // namespace helioray

namespace helioray::run {

class Checkpoint;
class ProgressReport;

/// Frame of a program that traces with one or many processes:
///
///     run::Session session([&] { return run::prepare(read_run_config("plant.yaml")); });
///     if (const auto result = run::trace(session)) write_result(*result, "flux.h5");  // rank 0
///     session.close();
///
/// Every rank runs the same program. A failure of one rank ends the others within seconds, with its
/// message. A single process needs no network. A session prints nothing and handles no signals: it
/// communicates with the program through the hooks of the options.
class Session {
  public:
    /// Calls `prepare` on every rank and connects the ranks. Collective. If prepare throws, a
    /// single process throws this exception, and each of several ranks throws PreparationError.
    /// Throws LaunchError for inconsistent environment variables, and DistributedError if ranks
    /// cannot be connected or have different configurations.
    explicit Session(const std::function<PreparedRun()>& prepare, Options options = {});
    /// Disconnects in an orderly way, or at once while an exception propagates. Never throws.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// @{
    /// Returns the prepared run.
    PreparedRun& prepared() { return run_; }
    const PreparedRun& prepared() const { return run_; }
    /// @}
    /// Returns the connected ranks, for further collectives of the program.
    DistributedEnvironment& environment() { return *environment_; }
    /// Returns true on rank 0, which has the results and writes them.
    bool is_root() const { return !worker_ && environment_->is_root(); }
    /// Returns true on rank 0 if it hands out work (distributed.schedule: master_worker). Its
    /// environment then has one rank, because workers take part in no collective.
    bool hands_out_work() const { return master_ != nullptr; }
    /// Returns true on a rank that works for a rank 0 that hands out work. It calls work() only.
    bool is_worker() const { return worker_ != nullptr; }
    /// Works for rank 0 until the run is over. Precondition: is_worker().
    void work();
    /// Returns the options, with the number of threads set.
    const Options& options() const { return options_; }

    /// Traces the units of a job, distributed over all ranks, round by round until the job is
    /// accurate enough. Afterwards every rank has the sums of all ranks. Collective: every rank
    /// must have prepared the same job. Returns the tracing time, s. Throws Stopped if the program
    /// requests to stop, and DistributedError if a rank fails. A session can trace any number of
    /// jobs in succession.
    double trace(TraceJob& job);
    /// Traces a job as a part of a longer run whose rays are counted together. checkpoint:
    /// continues from its restored work and stores what is traced; null: neither. step: the step of
    /// the prepared run whose job it is, 0 for a single run, if workers may trace parts of it; not
    /// set: a rank 0 that hands out work traces the job alone.
    double trace(TraceJob& job,
                 ProgressReport& progress,
                 Checkpoint* checkpoint = nullptr,
                 std::optional<std::size_t> step = {});

    /// Calls `work`. If it throws, the other ranks receive the reason, a warning reports what is
    /// stored of the run and how to continue it, and the exception propagates; it becomes Stopped
    /// if the program requested to stop, because later failures are effects of that. The session
    /// cannot be used afterwards. trace() includes such a guard.
    void guard(const std::function<void()>& work);

    /// Throws Stopped if the program requests to stop. Cheap.
    void check_stop() const;

    /// Disconnects from the other ranks; throws DistributedError if one has failed.
    void close();
    /// Disconnects as close() does, and returns the text of rank 0 on every rank.
    std::string close_with_text(const std::string& mine);

  private:
    [[noreturn]] void fail(const std::exception& error);
    /// Logs a warning with the folder of the stored parts of the run, if there are any.
    void report_stored_parts() const;

    Options options_;
    PreparedRun run_;
    std::unique_ptr<LastingRanks::Use> lasting_;  // null if the session has a separate connection
    std::unique_ptr<DistributedEnvironment> own_environment_;
    std::unique_ptr<WorkMaster> master_;             // on rank 0 if it hands out work
    std::unique_ptr<Worker> worker_;                 // on the other ranks then
    DistributedEnvironment* environment_ = nullptr;  // in lasting_ or own_environment_
    const int exceptions_at_start_;
    bool closed_ = false;
    /// Other ranks may wait for this one without a time-out whatever it does, so its progress is
    /// watched until the session is closed.
    std::shared_ptr<const void> watched_;
    std::int64_t traces_ = 0;
    bool failed_ = false;
};

}  // namespace helioray::run
