// SPDX-License-Identifier: MIT
// Contiguous and orthogonal groups, and ARTIST's heliostat groups.
#include "distributed/ranks/group_layout.h"

#include "kernels/host/partition.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace helioray {

RankList all_ranks(int size) {
    RankList ranks(size);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

RankLists contiguous_groups(const RankLists& parents, int size) {
    RankLists groups;
    for (const auto& parent : parents) {
        if (size < 1 || parent.size() % static_cast<std::size_t>(size) != 0)
            throw std::invalid_argument(std::to_string(parent.size()) +
                                        " ranks cannot be cut into groups of " +
                                        std::to_string(size));
        for (auto begin = parent.begin(); begin != parent.end(); begin += size)
            groups.emplace_back(begin, begin + size);
    }
    return groups;
}

RankLists orthogonal_groups(const RankLists& groups) {
    if (groups.empty()) return {};
    RankLists columns(groups.front().size());
    for (const auto& row : groups) {
        if (row.size() != columns.size())
            throw std::invalid_argument("groups of " + std::to_string(columns.size()) + " and " +
                                        std::to_string(row.size()) +
                                        " ranks have no orthogonal groups");
        for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
    }
    return columns;
}

namespace {

void require_rank(int rank, int ranks) {
    if (ranks < 1 || rank < 0 || rank >= ranks)
        throw std::invalid_argument("rank " + std::to_string(rank) + " of " +
                                    std::to_string(ranks) + " ranks is impossible");
}

/// Converts partition indices to the type of ranks and groups.
std::vector<int> to_ints(const std::vector<std::int64_t>& items) {
    return {items.begin(), items.end()};
}

}  // namespace

bool is_nested(int ranks, int groups) {
    require_rank(0, ranks);
    if (groups < 1)
        throw std::invalid_argument("the number of heliostat groups is " + std::to_string(groups) +
                                    "; it must be at least 1");
    return ranks > groups;
}

std::vector<int> heliostat_groups_of_rank(int rank, int ranks, int groups) {
    require_rank(rank, ranks);
    if (is_nested(ranks, groups)) return {rank % groups};
    return to_ints(partition_in_turn(groups, rank, ranks));
}

RankList ranks_of_heliostat_group(int group, int ranks, int groups) {
    if (group < 0 || group >= groups)
        throw std::invalid_argument("heliostat group " + std::to_string(group) + " of " +
                                    std::to_string(groups) + " does not exist");
    if (!is_nested(ranks, groups)) return {group % ranks};
    return to_ints(partition_in_turn(ranks, group, groups));
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
