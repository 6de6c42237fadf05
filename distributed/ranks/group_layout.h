// SPDX-License-Identifier: MIT
// Layouts of groups: pure functions that compute the ranks of each group.
#pragma once

#include <cstdint>
#include <map>
#include <string>
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

/// Ranks on an n-dimensional grid with named axes. The last axis varies fastest.
class RankMesh {
  public:
    /// `shape` has one entry per name, whose product is the number of ranks. One entry may be -1;
    /// it is computed from the others. Names must be unique and not empty.
    RankMesh(RankList ranks, std::vector<int> shape, std::vector<std::string> names);

    /// Returns the number of ranks along every axis.
    const std::vector<int>& shape() const noexcept { return shape_; }
    /// Returns the names of the axes.
    const std::vector<std::string>& names() const noexcept { return names_; }
    /// Returns the position of a rank on every axis. Throws std::invalid_argument if the rank is
    /// not on the mesh.
    std::vector<int> coordinates(int rank) const;
    /// Returns the groups of ranks that differ only along these axes, in the order of the mesh.
    RankLists groups_along(const std::vector<std::string>& axes) const;

  private:
    RankList ranks_;
    std::vector<int> shape_;
    std::vector<std::string> names_;
};

/// A node of a tree of groups.
struct GroupNode {
    std::string name;  ///< name, unique in the tree
    int size = 0;      ///< ranks; a leaf needs >= 1, other nodes 0 or the product of the children
    std::vector<GroupNode> children;  ///< children, the one with contiguous ranks first
};

/// Returns the groups of every node, by name, for a tree whose root holds all `size` ranks. The
/// children of a node are the axes of a grid of its ranks: the groups of the first child are
/// contiguous in the parent, those of each further child are contiguous in the groups orthogonal to
/// the child before.
std::map<std::string, RankLists> groups_of_tree(const GroupNode& root, int size);

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
