// SPDX-License-Identifier: MIT
// Several processes.
#include "app/ranks.h"

#include "app/already_reported.h"
#include "app/failure.h"
#include "distributed/environment.h"
#include "distributed/local_ranks.h"
#include "kernels/cuda_devices.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>

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

/// The lines of what a rank has to say.
std::vector<Problem> problems_of(size_t rank, const std::string& message) {
    std::vector<Problem> problems;
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
        problems.push_back({rank == 0 ? "" : fmt::format("rank {}", rank), line, "", ""});
    }
    return problems;
}

}  // namespace

std::chrono::milliseconds timeout_of(const RunConfig& config) {
    // Rounded up: a wait of less than a millisecond is still a wait.
    return std::chrono::milliseconds(
        static_cast<int64_t>(std::ceil(config.distributed.timeout_s * 1000.0)));
}

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

PreparedRun prepare_together(const LaunchInfo& launch,
                             const std::function<PreparedRun()>& prepare) {
    if (launch.world_size == 1) return prepare();

    // Input may be wrong on one machine only; the others must not wait for it.
    std::optional<PreparedRun> run;
    std::string message;
    try {
        run = prepare();
    } catch (const std::exception& error) {
        message = readable_message(error);
    }
    DistributedOptions options;
    options.backend = DistributedOptions::Backend::gloo;
    if (run) {
        options.timeout = timeout_of(run->config);
    }
    options.launch = launch;
    DistributedEnvironment environment(options);
    const std::vector<std::string> messages = environment.all_gather_strings(message);
    environment.close();
    for (size_t rank = 0; rank < messages.size(); ++rank) {
        if (messages[rank].empty()) continue;
        if (launch.rank != 0) throw AlreadyReported(2);
        throw InputError(problems_of(rank, messages[rank]));
    }
    return std::move(*run);
}

}  // namespace helioray::app
