// SPDX-License-Identifier: MIT
// Starts this command once per rank.
#include "app/ranks.h"

#include "distributed/local_ranks.h"
#include "kernels/cuda_devices.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

namespace helioray::app {

namespace {

constexpr int kMaxLocalRanks = 1024;

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
    throw InputError(Problem{"--ranks", what, "", advice});
}

/// The command line of this process; ranks that --ranks has started do not look at that option
/// again.
std::vector<std::string> own_arguments() {
    std::ifstream stream("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> arguments;
    for (std::string argument; std::getline(stream, argument, '\0');) arguments.push_back(argument);
    return arguments;
}

}  // namespace

int local_ranks_wanted(const RaytraceOptions& options, const LaunchInfo& launch) {
    if (options.ranks.empty() || launch.launcher == Launcher::local) return 0;
    if (launch.launcher != Launcher::single) {
        refuse(fmt::format("this process was already started by {}", to_string(launch.launcher)),
               "leave --ranks out; the launcher decides how many processes there are");
    }
    if (options.ranks == "auto") return std::max(1, kernels::num_cuda_devices());
    int ranks = 0;
    const char* end = options.ranks.data() + options.ranks.size();
    const auto [position, error] = std::from_chars(options.ranks.data(), end, ranks);
    if (error != std::errc{} || position != end || ranks < 1 || ranks > kMaxLocalRanks) {
        refuse(fmt::format("'{}' is not a number of processes", options.ranks),
               fmt::format("use a whole number from 1 to {}, or auto", kMaxLocalRanks));
    }
    return ranks;
}

int start_local_ranks(int ranks) {
    LocalRanksOptions local;
    local.ranks = ranks;
    local.arguments = own_arguments();
    return run_local_ranks(local);
}

}  // namespace helioray::app
