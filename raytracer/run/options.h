// SPDX-License-Identifier: MIT
// What a program adds to a run: its place among the ranks, its threads, and what it wants to hear.
#pragma once

#include "distributed/launcher.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace helioray::run {

/// How much a message of the engine matters.
enum class LogLevel {
    debug,   ///< what is done, and how long it takes
    info,    ///< what the user may want to know
    warning  ///< what may surprise in the result
};

/// Receives the engine's messages, one line each; an empty one drops them. Called by the thread
/// that calls the engine.
using Log = std::function<void(LogLevel level, const std::string& message)>;

/// Passes a message on where somebody listens.
inline void write(const Log& log, LogLevel level, const std::string& message) {
    if (log) log(level, message);
}

/// How far this rank has come.
struct Progress {
    std::int64_t rays = 0;      ///< that this rank has traced, of all steps of a series
    std::int64_t expected = 0;  ///< that it will have traced in the end, about
    bool finished = false;      ///< true in the last call, also where tracing fails
};

/// How a run uses this process. The hooks must not throw; empty ones are left out.
struct Options {
    /// Who started this process as which rank; nothing: as the environment variables say (see
    /// detect_launcher()).
    std::optional<LaunchInfo> launch;
    /// Threads of this rank on the CPU; 0: threads_of_rank().
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
};

/// Cores of this machine divided by the ranks on it, at least 1.
int threads_of_rank(const LaunchInfo& launch);

}  // namespace helioray::run
