// SPDX-License-Identifier: MIT
// Options that a program adds to a run: its launch information, its threads and its hooks; and the
// exceptions of runs that are not completed.
#pragma once

#include "distributed/launch/launcher.h"
#include "scenario/files/error.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace helioray {
struct RunConfig;
}

namespace helioray::run {

class LastingRanks;

/// Severity of a message.
enum class LogLevel {
    debug,   ///< steps of the work and their duration
    info,    ///< information for users
    warning  ///< a possible surprise in the result
};

/// Receives messages, one line each; an empty function discards them. Called by the thread that
/// runs the trace.
using Log = std::function<void(LogLevel level, const std::string& message)>;

/// Passes a message to the log, if there is one.
inline void write(const Log& log, LogLevel level, const std::string& message) {
    if (log) log(level, message);
}

/// Progress of this rank.
struct Progress {
    std::int64_t rays = 0;  ///< rays that this rank has traced, over all steps of a series
    /// Approximate number of rays that this rank will have traced in the end.
    std::int64_t expected = 0;
    bool finished = false;   ///< true in the last call, even if tracing fails
    std::int64_t steps = 1;  ///< number of positions of the sun that share the rays
};

/// Options and hooks of a run in this process. Hooks must not throw; empty hooks are not called.
struct Options {
    /// Launcher and rank of this process. If not set, the environment variables determine them (see
    /// detect_launcher()).
    std::optional<LaunchInfo> launch;
    /// If set, ranks stay connected for the next session with this object (see LastingRanks).
    std::shared_ptr<LastingRanks> lasting;
    /// True if the program calls Session::work() on workers, see Session::is_worker(). Otherwise
    /// distributed.schedule: master_worker is refused if there are several ranks.
    bool can_hand_out_work = false;
    /// Number of CPU threads of this rank; 0: DistributedEnvironment::threads().
    int num_threads = 0;
    Log log;  ///< receives the messages of this rank
    /// Called several times per second during tracing, mostly by an internal thread.
    std::function<void(const Progress&)> progress;
    /// Returns the reason why the run should stop ("interrupted"), or "" to continue. Called many
    /// times per second by any thread. After it returns a reason, tracing ends within a second on
    /// all ranks, and the calls of this rank throw Stopped.
    std::function<std::string()> stop;
    /// Called once, by an internal thread, if the calling thread does not return within seconds of
    /// a stop or of another rank's failure, for example because it waits for a machine that no
    /// longer answers. No unfinished file has a final name, so the program may exit.
    std::function<void(const std::string& reason)> stuck;
    /// Returns, for messages, the command that continues a run whose work is stored beside this
    /// output. If empty, messages name the same command.
    std::function<std::string(const std::filesystem::path& output)> continued_by;
};

/// Returns the number of threads for work before the ranks are connected, at least 1: the cores
/// that this process may use (kernels::usable_cores()), divided by the number of ranks on this host
/// if the launcher provides it, otherwise by the number of all ranks. After connecting, use
/// DistributedEnvironment::threads().
int threads_of_rank(const LaunchInfo& launch);

/// Returns distributed.timeout_s, rounded up to whole milliseconds.
std::chrono::milliseconds timeout_of(const RunConfig& config);

/// Thrown after the program requested to stop (Options::stop). what() is its reason, followed by
/// another rank's failure if that was known before.
class Stopped : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Thrown if a run could not be prepared on at least one of several ranks. Every rank throws it
/// with the same problems, so a program may print them on rank 0 only.
class PreparationError : public InputError {
  public:
    using InputError::InputError;
};

/// Returns the message of an error for users; for exhausted memory with advice.
std::string readable_message(const std::exception& error);

}  // namespace helioray::run
