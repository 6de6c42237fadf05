// SPDX-License-Identifier: MIT
// Starts ranks of the tests with any environment variables and collects their output.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace helioray::test {

/// Factor for time limits: sanitizers slow down the start and end of processes.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr double kPatience = 4.0;
#else
inline constexpr double kPatience = 1.0;
#endif

/// Result of one rank.
struct RankResult {
    int exit_code = -1;  ///< -1 when killed by a signal
    int signal = 0;      ///< signal that ended it; 0 if it exited
    std::string output;  ///< stdout and stderr
    double seconds = 0;  ///< from its start to its end
};

using Variables = std::map<std::string, std::string>;

/// Runs the rank program once per entry of `environments`, in parallel; kills those that are still
/// running after `limit_s` seconds.
std::vector<RankResult> run_ranks(const std::vector<std::string>& arguments,
                                  const std::vector<Variables>& environments,
                                  double limit_s = 40);

/// Runs `size` ranks with RANK, WORLD_SIZE, MASTER_ADDR, a free MASTER_PORT and the variables
/// `more`.
std::vector<RankResult> run_world(int size,
                                  const std::vector<std::string>& arguments,
                                  const Variables& more = {});

/// Runs one scenario with run_world() and checks that every rank succeeds; prints their output if
/// not.
void check_world(int size, const std::string& scenario);

/// Returns the rest of every line of the output that begins with a word and a blank.
std::vector<std::string> lines_of(const RankResult& rank, const std::string& word);

/// Runs a shell command; its output holds stdout and stderr.
RankResult run_command(const std::string& command, double limit_s = 60);

/// Returns a port that is free at the time of the call; every call of a process returns another
/// one.
int free_port();

}  // namespace helioray::test
