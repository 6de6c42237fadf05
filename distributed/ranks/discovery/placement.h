// SPDX-License-Identifier: MIT
// Placement of the ranks on their hosts: local ranks, numbers of threads and GPUs, derived from the
// RankInfo of all ranks.
#pragma once

#include "distributed/ranks/discovery/rank_info.h"

#include <string>
#include <vector>

namespace helioray::detail {

/// Position of a rank among the ranks of its host. Two ranks share a host if their host name and
/// boot id are equal.
struct Placement {
    int local_rank = 0;  ///< index among the ranks of the host, in the order of the ranks
    int local_size = 1;  ///< number of ranks on the host
};

/// Returns the placement of every rank, indexed by rank. Ignores the local ranks reported by
/// launchers.
std::vector<Placement> compute_placements(const std::vector<RankInfo>& infos);

/// Returns the number of threads for a rank on the CPU, at least 1. Each core counts as 1 / (number
/// of ranks of the host that may use it). A quota of the control group, divided by the ranks in the
/// group, limits the sum, which is rounded down.
int compute_threads(int rank, const std::vector<RankInfo>& infos);

/// Returns the CUDA device of a rank, an index into its visible devices: the one at local rank
/// modulo the number of those that it may use. Returns 0 if no device is visible.
int choose_gpu(const RankInfo& info, const Placement& placement);

/// Returns the first ranks that share a GPU, for example "ranks 0 and 1 on host x"; empty if no
/// ranks do.
std::string find_shared_gpu(const std::vector<RankInfo>& infos);

}  // namespace helioray::detail
