// SPDX-License-Identifier: MIT
// Raises the limit of descriptors.
#include "distributed/store/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace helioray::detail {

int count_descriptors_of_rank(int rank, int ranks) {
    // Listeners, event queues and pipes of the store, of Gloo and of NCCL.
    constexpr int kFixed = 32;
    return (rank == 0 ? 3 : 1) * ranks + kFixed;
}

std::string raise_descriptor_limit(int more) {
    std::error_code unknown;
    const std::filesystem::directory_iterator open("/proc/self/fd", unknown);
    const auto in_use = unknown ? 64 : std::distance(begin(open), end(open));
    const auto needed = static_cast<rlim_t>(in_use + more);
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return {};
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
        return "too many open files: it needs " + std::to_string(needed) +
               " descriptors, and this process may have " + std::to_string(limit.rlim_max) +
               "; raise the limit with ulimit -Hn " + std::to_string(needed) +
               " as root (LimitNOFILE of a service, /etc/security/limits.conf), or use fewer ranks";
    limit.rlim_cur = needed;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return {};
}

}  // namespace helioray::detail
