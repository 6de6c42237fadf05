// SPDX-License-Identifier: MIT
// Which ranks form which groups: pure functions on lists of ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace helioray {

/// Ranks of one group, in order.
using RankList = std::vector<int>;
/// Groups side by side: no rank is in two of them.
using RankLists = std::vector<RankList>;

// All functions throw std::invalid_argument, with the numbers, for layouts that do not work out.

/// 0, 1, ..., size - 1.
RankList all_ranks(int size);

/// Cuts every group of `parents` into contiguous groups of `size`, which must divide it.
RankLists contiguous_groups(const RankLists& parents, int size);

/// With the groups as rows of a matrix, its columns: one rank of each. All groups have one size.
RankLists orthogonal_groups(const RankLists& groups);

/// Ranks on an n-dimensional grid with named axes, the last axis running fastest.
class RankMesh {
  public:
    /// shape: one entry per name, at most one of them -1 (filled in); their product is the
    /// number of ranks. Names are unique and not empty.
    RankMesh(RankList ranks, std::vector<int> shape, std::vector<std::string> names);

    /// Ranks along every axis; -1 is filled in.
    const std::vector<int>& shape() const noexcept { return shape_; }
    /// Of the axes.
    const std::vector<std::string>& names() const noexcept { return names_; }
    /// Position of a rank on every axis. Throws std::invalid_argument for a rank that is not on it.
    std::vector<int> coordinates(int rank) const;
    /// Groups of the ranks that differ only along these axes, in the mesh's order.
    RankLists groups_along(const std::vector<std::string>& axes) const;

  private:
    RankList ranks_;
    std::vector<int> shape_;
    std::vector<std::string> names_;
};

/// A named group that is made of others.
struct GroupNode {
    std::string name;  ///< unique in its tree
    int size = 0;      ///< of a leaf, >= 1; others: the product of their children's sizes, or 0
    std::vector<GroupNode> children;  ///< the first one's ranks are neighbours; empty: a leaf
};

/// All groups of a tree whose root holds the world's `size` ranks, by name: the first child's are
/// contiguous in their parent, each further child's are contiguous in the groups orthogonal to the
/// child before. The parent's ranks are so the grid of its children.
std::map<std::string, RankLists> groups_of_tree(const GroupNode& root, int size);

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
