// SPDX-License-Identifier: MIT
// The program as its own launcher: N ranks on this machine.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// What run_local_ranks() starts.
struct LocalRanksOptions {
    int ranks = 1;  ///< number of processes, at least 1
    std::vector<std::string>
        arguments;  ///< argv of the ranks, the program's name first, without --ranks
    std::string program = "/proc/self/exe";  ///< file to execute
    std::vector<std::pair<std::string, std::string>>
        environment;  ///< variables to set besides the launcher's
    /// Where set, stdout and stderr of the ranks above 0 go to log_dir/rank_N.out; rank 0 keeps
    /// the terminal.
    std::string log_dir;
    /// After a failure or a signal: how long the other ranks may take to end by themselves before
    /// SIGTERM, and again before SIGKILL.
    std::chrono::milliseconds grace = std::chrono::seconds(10);
    /// Once a rank has ended in good order: how long the others may take before they count as
    /// hanging. 0: any time, for programs whose ranks do not end together.
    std::chrono::milliseconds straggler_timeout{0};
    /// Receives one line per failure. Default: stderr.
    std::function<void(const std::string&)> report;
};

/// Executes the program once per rank with RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE,
/// HELIORAY_STORE and HELIORAY_LAUNCHER=local, and waits for all of them. Signals SIGINT, SIGTERM
/// and SIGHUP are passed on. The ranks are killed by the kernel when this thread ends, whatever
/// ends it: call it from the main thread. Changes the handling of these signals and of SIGCHLD
/// while it runs. Returns 0; the exit code of the rank that failed first; 1 when that rank was
/// killed by a signal; 130, 143 or 129 when this process itself was sent SIGINT, SIGTERM or SIGHUP.
/// Throws std::invalid_argument for impossible options, std::runtime_error when a rank cannot be
/// started.
int run_local_ranks(const LocalRanksOptions& options);

}  // namespace helioray
