// SPDX-License-Identifier: MIT
// ARTIST's division of heliostat groups, and of the heliostats within one, over ranks.
#pragma once

#include "distributed/group_layout.h"

#include <cstdint>
#include <vector>

namespace helioray {

// For programs that divide their work as ARTIST does; runs of this one share work units instead
// (kernels/partition.h has both divisions). A heliostat group has one kind of kinematics and
// actuators. Where there are more ranks than groups, several ranks share a group ("nested").
// Everything throws std::invalid_argument for
// counts below 1 (heliostats and samples: below 0) and ranks that do not exist.

/// True where several ranks may share a group: ranks outnumber groups.
bool is_nested(int ranks, int groups);

/// Heliostat groups of a rank, ascending: g with g mod ranks = rank, or the one group
/// rank mod groups where nested.
std::vector<int> heliostat_groups_of_rank(int rank, int ranks, int groups);

/// Ranks of a heliostat group, ascending.
RankList ranks_of_heliostat_group(int group, int ranks, int groups);

/// The ranks of every heliostat group as groups of ranks, where nested; else every rank alone.
RankLists heliostat_rank_groups(int ranks, int groups);

/// Samples of a heliostat group that `rank` of the `size` ranks of the group takes, ascending:
/// heliostats round robin over min(heliostats, size) ranks, each with its samples / heliostats
/// consecutive samples; the other ranks are idle and get none. Throws std::invalid_argument unless
/// every heliostat has the same number of samples.
std::vector<std::int64_t> heliostat_samples_of_rank(std::int64_t samples,
                                                    std::int64_t heliostats,
                                                    int rank,
                                                    int size);

}  // namespace helioray
