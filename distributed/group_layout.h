// SPDX-License-Identifier: MIT
// Which ranks form which groups: pure functions on lists of ranks.
#pragma once

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
    /// shape: one entry per name, at most one of them -1 (what is left); their product is the
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

}  // namespace helioray
