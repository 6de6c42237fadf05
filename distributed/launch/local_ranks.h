// SPDX-License-Identifier: MIT
// A launcher for ranks on this machine: the program starts itself N times.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// Options of run_local_ranks().
struct LocalRanksOptions {
    int ranks = 1;  ///< number of processes, at least 1
    std::vector<std::string>
        arguments;  ///< argv of the ranks without --ranks, the program name first
    std::string program = "/proc/self/exe";  ///< file to execute
    std::vector<std::pair<std::string, std::string>>
        environment;  ///< variables to set in addition to those of the launcher
    /// If set, stdout and stderr of the ranks above 0 are written to log_dir/rank_N.out; those of
    /// rank 0 are inherited.
    std::string log_dir;
    /// Grace period: time for the ranks to end after a failure or signal before they are sent
    /// SIGTERM, and again before SIGKILL.
    std::chrono::milliseconds grace = std::chrono::seconds(10);
    /// Time for the other ranks to end after one has ended without an error. Ranks that take longer
    /// count as hanging. 0 stands for no limit, for programs whose ranks do not end together.
    std::chrono::milliseconds straggler_timeout{0};
    /// If true, rank 0 continues without ranks that are lost: they are no failure, the result is
    /// that of rank 0, and when it ends, the others end at once.
    bool may_lose_ranks = false;
    /// Receives one line per failure; by default they are printed to stderr.
    std::function<void(const std::string&)> report;
};

/// Executes the program once per rank with RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE,
/// HELIORAY_STORE and HELIORAY_LAUNCHER=local, and waits for all of them. Forwards SIGINT, SIGTERM,
/// SIGHUP and SIGUSR1 to the ranks; it changes the handlers of these signals and of SIGCHLD while
/// it runs. The kernel kills the ranks when the calling thread ends, so call it from the main
/// thread.
///
/// Returns 0 if all ranks succeed; the exit code of the rank that failed first; 1 if that rank was
/// killed by a signal; 128 + N if this process received signal N. Throws std::invalid_argument for
/// impossible options and std::runtime_error if a rank cannot be started.
int run_local_ranks(const LocalRanksOptions& options);

}  // namespace helioray
