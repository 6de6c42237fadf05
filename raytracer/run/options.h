// SPDX-License-Identifier: MIT
// What a program adds to a run: its place among the ranks, its threads and its hooks;
// and how a run ends that is not completed.
#pragma once

#include "distributed/launcher.h"
#include "scenario/files/error.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace helioray {
struct RunConfig;
}

namespace helioray::run {

/// How much a message of the engine matters.
enum class LogLevel {
    debug,   ///< steps of the work, and how long they take
    info,    ///< information for users
    warning  ///< possible surprises in the result
};

/// Receives the engine's messages, one line each; an empty one drops them. Called by the thread
/// that calls the engine.
using Log = std::function<void(LogLevel level, const std::string& message)>;

/// Passes a message to the log if there is one.
inline void write(const Log& log, LogLevel level, const std::string& message) {
    if (log) log(level, message);
}

/// How far this rank has come.
struct Progress {
    std::int64_t rays = 0;      ///< that this rank has traced, of all steps of a series
    std::int64_t expected = 0;  ///< that it will have traced in the end, about
    bool finished = false;      ///< true in the last call, also where tracing fails
};

/// How a run uses this process. The hooks must not throw; empty hooks are not called.
struct Options {
    /// Launcher and rank of this process; if empty, the environment variables decide (see
    /// detect_launcher()).
    std::optional<LaunchInfo> launch;
    /// Threads of this rank on the CPU; 0: DistributedEnvironment::threads().
    int num_threads = 0;
    Log log;  ///< messages of this rank
    /// Called several times per second while rays are traced, mostly by a thread of the engine.
    std::function<void(const Progress&)> progress;
    /// Says why the run shall end ("interrupted"); "" as long as it goes on. Asked many times per
    /// second by any thread, also while nothing else answers. When it gives a reason, tracing ends
    /// within a second, on all ranks, and this rank's calls throw Stopped.
    std::function<std::string()> stop;
    /// Called once, by a thread of the engine, when the calling thread has not come back within
    /// seconds of a stop or of another rank's failure: it may hang in a call to a machine that no
    /// longer answers. Nothing unfinished lies under a final name, so a program may end itself.
    std::function<void(const std::string& reason)> stuck;
    /// What continues a run that keeps its work beside this output, for messages; empty: the same
    /// command does.
    std::function<std::string(const std::filesystem::path& output)> continued_by;
};

/// Threads for work before the ranks have met, at least 1: the cores that this process may use
/// (kernels::usable_cores()), divided by the ranks of this host as far as the launcher gives their
/// number, else by all ranks. Afterwards DistributedEnvironment::threads() knows better.
int threads_of_rank(const LaunchInfo& launch);

/// distributed.timeout_s, at least a millisecond.
std::chrono::milliseconds timeout_of(const RunConfig& config);

/// The program requested to stop (Options::stop). what() is its reason, and after it another rank's
/// failure where one was known before.
class Stopped : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A run could not be prepared on at least one of several ranks. Every rank throws it with the same
/// problems, so that a program may print them on rank 0 alone.
class PreparationError : public InputError {
  public:
    using InputError::InputError;
};

/// The message of an error for users; what to do when memory is exhausted.
std::string readable_message(const std::exception& error);

}  // namespace helioray::run
