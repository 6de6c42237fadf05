// SPDX-License-Identifier: MIT
// Counting the ranks of a host.
#include "distributed/placement.h"

#include <algorithm>
#include <map>
#include <utility>

namespace helioray::detail {

std::vector<Placement> placements(const std::vector<Hello>& hellos) {
    std::map<std::pair<std::string, std::string>, int> sizes;
    std::vector<Placement> places(hellos.size());
    for (std::size_t rank = 0; rank < hellos.size(); ++rank)
        places[rank].local_rank = sizes[{hellos[rank].boot, hellos[rank].host}]++;
    for (std::size_t rank = 0; rank < hellos.size(); ++rank)
        places[rank].local_size = sizes[{hellos[rank].boot, hellos[rank].host}];
    return places;
}

int threads_of_rank(int rank, const std::vector<Hello>& hellos) {
    const Hello& own = hellos[rank];
    std::map<int, int> ranks_of_core;
    int ranks_of_quota = 0;
    for (const Hello& other : hellos) {
        if (other.boot != own.boot || other.host != own.host) continue;
        for (const int core : other.cores.allowed) ++ranks_of_core[core];
        if (other.cores.quota_group == own.cores.quota_group) ++ranks_of_quota;
    }
    double share = 0.0;
    for (const int core : own.cores.allowed) share += 1.0 / ranks_of_core[core];
    if (own.cores.quota > 0.0) share = std::min(share, own.cores.quota / ranks_of_quota);
    // Thirds of cores do not add up exactly.
    return std::max(1, static_cast<int>(share + 1e-6));
}

int gpu_of_rank(const Hello& hello, const Placement& placement) {
    if (hello.gpus.empty()) return 0;
    const int count = static_cast<int>(hello.gpus.size());
    return hello.wanted_gpu.value_or(placement.local_rank % count);
}

std::string shared_gpu(const std::vector<Hello>& hellos) {
    const std::vector<Placement> places = placements(hellos);
    std::map<std::string, std::vector<int>> ranks_by_gpu;
    for (std::size_t rank = 0; rank < hellos.size(); ++rank) {
        const Hello& hello = hellos[rank];
        const auto index = static_cast<std::size_t>(gpu_of_rank(hello, places[rank]));
        if (index < hello.gpus.size())
            ranks_by_gpu[hello.gpus[index]].push_back(static_cast<int>(rank));
    }
    for (const auto& [gpu, ranks] : ranks_by_gpu)
        if (ranks.size() > 1)
            return "ranks " + list_ranks(ranks) + " on host " + hellos[ranks.front()].host;
    return {};
}

}  // namespace helioray::detail
