// SPDX-License-Identifier: MIT
// Where each rank stands among the ranks of its host, from the cards of all ranks: local rank,
// share of the cores, GPU.
#pragma once

#include "distributed/rank_info.h"

#include <string>
#include <vector>

namespace helioray::detail {

/// One rank among those of its host: ranks with the same host name on the same machine.
struct Placement {
    int local_rank = 0;  ///< from 0, in the order of the ranks
    int local_size = 1;  ///< ranks of this host
};

/// Of all ranks, by rank. What launchers say of local ranks is not asked.
std::vector<Placement> compute_placements(const std::vector<RankInfo>& infos);

/// Threads for a rank on the CPU: its part of the cores it may use, each divided between the ranks
/// of its host that may use it, and of the processor time that its control group grants, divided
/// between the ranks that share it; rounded down, at least 1.
int compute_threads(int rank, const std::vector<RankInfo>& infos);

/// The CUDA device of a rank among those it sees: the one it asked for, or local rank modulo their
/// number. 0 where it sees none.
int choose_gpu(const RankInfo& info, const Placement& placement);

/// Ranks that share a GPU, "ranks 0 and 1 on host x"; empty where each has its own, or none.
std::string find_shared_gpu(const std::vector<RankInfo>& infos);

}  // namespace helioray::detail
