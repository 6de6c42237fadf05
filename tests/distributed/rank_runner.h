// SPDX-License-Identifier: MIT
// Starts ranks of the tests by hand, with any environment, and collects what they said.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace helioray::test {

/// Sanitizers slow start and end down; limits of time are multiples of this.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr double kPatience = 4.0;
#else
inline constexpr double kPatience = 1.0;
#endif

/// How one rank ended.
struct RankResult {
    int exit_code = -1;  ///< -1 when killed by a signal
    int signal = 0;
    std::string output;  ///< stdout and stderr
    double seconds = 0;  ///< from its start to its end
};

using Variables = std::map<std::string, std::string>;

/// Runs the rank program once per entry of `environments`, at the same time; kills what is left
/// after `limit_s`.
std::vector<RankResult> run_ranks(const std::vector<std::string>& arguments,
                                  const std::vector<Variables>& environments,
                                  double limit_s = 40);

/// The same for `size` ranks with RANK, WORLD_SIZE, MASTER_ADDR and a free MASTER_PORT, plus `more`
/// on each.
std::vector<RankResult> run_world(int size,
                                  const std::vector<std::string>& arguments,
                                  const Variables& more = {});

/// run_world of one scenario; checks (Catch2) that every rank succeeded, and shows what it said.
void check_world(int size, const std::string& scenario);

/// Runs a shell command; stdout and stderr together.
RankResult run_command(const std::string& command, double limit_s = 60);

/// A port that was free a moment ago.
int free_port();

}  // namespace helioray::test
