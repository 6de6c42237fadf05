// SPDX-License-Identifier: MIT
// Layouts of groups: pure functions that compute the ranks of each group.
#pragma once

#include <cstdint>
#include <vector>

namespace helioray {

/// The ranks of one group, in order.
using RankList = std::vector<int>;
/// Disjoint groups: no rank is in two of them.
using RankLists = std::vector<RankList>;

// All functions throw std::invalid_argument for impossible layouts, with the numbers of ranks.

/// Returns 0, 1, ..., size - 1.
RankList all_ranks(int size);

/// Splits every group of `parents` into contiguous groups of `size` ranks. `size` must divide the
/// size of each parent.
RankLists contiguous_groups(const RankLists& parents, int size);

/// Returns the columns of the matrix whose rows are the groups: group i holds rank i of each given
/// group. All given groups must have the same size.
RankLists orthogonal_groups(const RankLists& groups);

// The following functions divide work as ARTIST does, for programs that need the same division.
// (The ray tracer of this program distributes work units instead, see kernels/host/partition.h.)
// The heliostats of a heliostat group have the same kind of kinematics and actuators. If there are
// more ranks than groups, several ranks share a group, and the layout is called nested. The
// functions throw std::invalid_argument for ranks that do not exist, for less than one rank or
// group and for negative numbers of heliostats or samples.

/// Returns true if there are more ranks than groups, so that several ranks share a group.
bool is_nested(int ranks, int groups);

/// Returns the heliostat groups of a rank, ascending: the groups g with g mod ranks = rank, or, in
/// a nested layout, the one group rank mod groups.
std::vector<int> heliostat_groups_of_rank(int rank, int ranks, int groups);

/// Returns the ranks of a heliostat group, ascending.
RankList ranks_of_heliostat_group(int group, int ranks, int groups);

/// Returns the ranks of every heliostat group in a nested layout, else groups of one rank each.
RankLists heliostat_rank_groups(int ranks, int groups);

/// Returns the samples of a heliostat group that `rank` processes, one of the `size` ranks of the
/// group, ascending. Heliostats are assigned round robin to min(heliostats, size) ranks, each with
/// its samples / heliostats consecutive samples; the other ranks are idle. Throws
/// std::invalid_argument unless every heliostat has the same number of samples.
std::vector<std::int64_t> heliostat_samples_of_rank(std::int64_t samples,
                                                    std::int64_t heliostats,
                                                    int rank,
                                                    int size);

}  // namespace helioray
