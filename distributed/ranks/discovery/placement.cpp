// SPDX-License-Identifier: MIT
// Local ranks, threads and GPUs from the RankInfo of all ranks.
#include "distributed/ranks/discovery/placement.h"

#include "distributed/launch/message_text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace helioray::detail {

std::vector<Placement> compute_placements(const std::vector<RankInfo>& infos) {
    std::map<std::pair<std::string, std::string>, int> sizes;
    std::vector<Placement> places(infos.size());
    for (std::size_t rank = 0; rank < infos.size(); ++rank)
        places[rank].local_rank = sizes[{infos[rank].boot, infos[rank].host}]++;
    for (std::size_t rank = 0; rank < infos.size(); ++rank)
        places[rank].local_size = sizes[{infos[rank].boot, infos[rank].host}];
    return places;
}

int compute_threads(int rank, const std::vector<RankInfo>& infos) {
    const RankInfo& own = infos[rank];
    std::map<int, int> ranks_per_core;
    int ranks_of_quota = 0;
    for (const RankInfo& other : infos) {
        if (other.boot != own.boot || other.host != own.host) continue;
        for (const int core : other.cores.allowed) ++ranks_per_core[core];
        if (other.cores.quota_group == own.cores.quota_group) ++ranks_of_quota;
    }
    double cores = 0.0;
    for (const int core : own.cores.allowed) cores += 1.0 / ranks_per_core[core];
    if (own.cores.quota > 0.0) cores = std::min(cores, own.cores.quota / ranks_of_quota);
    // Fractions such as 1/3 do not add up exactly; allow for their rounding errors.
    return std::max(1, static_cast<int>(cores + 1e-6));
}

int choose_gpu(const RankInfo& info, const Placement& placement) {
    if (info.gpus.empty()) return 0;
    const std::vector<int>& requested = info.requested_gpus;
    const std::size_t count = requested.empty() ? info.gpus.size() : requested.size();
    const std::size_t place = static_cast<std::size_t>(placement.local_rank) % count;
    return requested.empty() ? static_cast<int>(place) : requested[place];
}

std::string find_shared_gpu(const std::vector<RankInfo>& infos) {
    const std::vector<Placement> places = compute_placements(infos);
    std::map<std::string, std::vector<int>> ranks_by_gpu;
    for (std::size_t rank = 0; rank < infos.size(); ++rank) {
        const RankInfo& info = infos[rank];
        const auto index = static_cast<std::size_t>(choose_gpu(info, places[rank]));
        if (index < info.gpus.size())
            ranks_by_gpu[info.gpus[index]].push_back(static_cast<int>(rank));
    }
    for (const auto& [gpu, ranks] : ranks_by_gpu)
        if (ranks.size() > 1)
            return "ranks " + list_ranks(ranks) + " on host " + infos[ranks.front()].host;
    return {};
}

}  // namespace helioray::detail
