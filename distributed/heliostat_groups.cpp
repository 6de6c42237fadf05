// SPDX-License-Identifier: MIT
// Round robin on both levels.
#include "distributed/heliostat_groups.h"

#include "kernels/partition.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace helioray {
namespace {

void require_rank(int rank, int ranks) {
    if (ranks < 1 || rank < 0 || rank >= ranks)
        throw std::invalid_argument("rank " + std::to_string(rank) + " of " +
                                    std::to_string(ranks) + " ranks is impossible");
}

/// Ranks and groups are ints.
std::vector<int> numbers(const std::vector<std::int64_t>& items) {
    return {items.begin(), items.end()};
}

}  // namespace

bool is_nested(int ranks, int groups) {
    require_rank(0, ranks);
    if (groups < 1) throw std::invalid_argument("there are no heliostat groups");
    return ranks > groups;
}

std::vector<int> heliostat_groups_of_rank(int rank, int ranks, int groups) {
    require_rank(rank, ranks);
    if (is_nested(ranks, groups)) return {rank % groups};
    return numbers(partition_in_turn(groups, rank, ranks));
}

RankList ranks_of_heliostat_group(int group, int ranks, int groups) {
    if (group < 0 || group >= groups)
        throw std::invalid_argument("heliostat group " + std::to_string(group) + " of " +
                                    std::to_string(groups) + " does not exist");
    if (!is_nested(ranks, groups)) return {group % ranks};
    return numbers(partition_in_turn(ranks, group, groups));
}

RankLists heliostat_rank_groups(int ranks, int groups) {
    RankLists lists;
    const bool nested = is_nested(ranks, groups);
    for (int i = 0; i < (nested ? groups : ranks); ++i)
        lists.push_back(nested ? ranks_of_heliostat_group(i, ranks, groups) : RankList{i});
    return lists;
}

std::vector<std::int64_t> heliostat_samples_of_rank(std::int64_t samples,
                                                    std::int64_t heliostats,
                                                    int rank,
                                                    int size) {
    require_rank(rank, size);
    if (samples < 0 || heliostats < 0 || (heliostats == 0) != (samples == 0) ||
        (heliostats > 0 && samples % heliostats != 0))
        throw std::invalid_argument(std::to_string(samples) +
                                    " samples are not the same number for each of " +
                                    std::to_string(heliostats) + " heliostats");
    std::vector<std::int64_t> mine;
    const auto active = std::min<std::int64_t>(heliostats, size);
    if (rank >= active) return mine;
    const std::int64_t each = samples / heliostats;
    for (const std::int64_t heliostat : partition_in_turn(heliostats, rank, active))
        for (std::int64_t i = 0; i < each; ++i) mine.push_back(heliostat * each + i);
    return mine;
}

}  // namespace helioray
