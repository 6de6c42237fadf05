// SPDX-License-Identifier: MIT
// A prepared run on connected ranks: the scope in which anything is traced.
#pragma once

#include "distributed/environment.h"
#include "raytracer/job/trace_job.h"
#include "raytracer/run/options.h"
#include "raytracer/run/prepare.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace helioray::run {

class Checkpoint;
class ProgressReport;

/// The frame of a program that traces, on one process or many:
///
///     run::Session session([&] { return run::prepare(read_run_config("plant.yaml")); });
///     if (const auto result = run::trace(session)) write_result(*result, "flux.h5");  // rank 0
///     session.close();
///
/// Every rank runs the same program. A failure of one ends the others within seconds, with its
/// message. One process needs no network. A session prints nothing and handles no signals: it
/// communicates with the program through the hooks of the options.
class Session {
  public:
    /// Calls `prepare` on every rank and connects the ranks. Collective. When prepare throws: its
    /// exception on a lone process, PreparationError on every one of several ranks. Throws
    /// LaunchError for variables that make no sense, DistributedError when ranks cannot be joined
    /// or have other configurations.
    explicit Session(const std::function<PreparedRun()>& prepare, Options options = {});
    /// Disconnects in an orderly way, or at once while an exception propagates. Never throws.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// The prepared run.
    PreparedRun& prepared() { return run_; }
    const PreparedRun& prepared() const { return run_; }
    /// The connected ranks, for collectives of the program's own.
    DistributedEnvironment& environment() { return *environment_; }
    /// Whether this is rank 0, which has the results and writes them.
    bool is_root() const { return environment_->is_root(); }
    /// As given, with the number of threads.
    const Options& options() const { return options_; }

    /// Traces a job's units, shared between all ranks, round by round until the job is accurate
    /// enough. Afterwards its sums are those of all ranks, on every rank. Collective: every rank
    /// has prepared the same job. Returns the seconds it took. Throws Stopped where the program
    /// wants to stop, DistributedError if a rank fails. A session traces any number of jobs, one
    /// after the other.
    double trace(TraceJob& job);
    /// The same as a part of something longer, which counts the rays of all its jobs. checkpoint:
    /// continues what it has restored, and keeps what is traced; nothing: does neither.
    double trace(TraceJob& job, ProgressReport& progress, Checkpoint* checkpoint = nullptr);

    /// Calls `work`. When it throws, the other ranks learn why, a warning names what is kept of the
    /// run and how it goes on from there, and the exception goes on; it becomes Stopped where the
    /// program wants to stop, because a later failure is an effect of that. The session is of no
    /// more use afterwards. trace() does the same for itself.
    void guard(const std::function<void()>& work);

    /// Throws Stopped if the program requests to stop. Cheap.
    void check_stop() const;

    /// Parts from the other ranks in good order; throws DistributedError where one has failed.
    void close();

  private:
    [[noreturn]] void fail(const std::exception& error);
    /// A warning with the folder of what is done of the run, where something of it is kept.
    void say_what_is_kept() const;

    Options options_;
    PreparedRun run_;
    std::unique_ptr<DistributedEnvironment> environment_;
    std::int64_t traces_ = 0;
    bool failed_ = false;
};

}  // namespace helioray::run
