// SPDX-License-Identifier: MIT
// Contiguous and orthogonal groups, meshes, trees, and ARTIST's heliostat groups.
#include "distributed/ranks/group_layout.h"

#include "kernels/host/partition.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

namespace helioray {
namespace {

int product(const std::vector<int>& values) {
    return std::accumulate(values.begin(), values.end(), 1, std::multiplies<>());
}

/// Replaces -1 by the number of ranks divided by the product of the other extents.
std::vector<int> complete_shape(std::vector<int> shape, int size) {
    const auto open = std::find(shape.begin(), shape.end(), -1);
    if (open != shape.end()) {
        const int rest = -product(shape);
        if (rest > 0 && size % rest == 0) *open = size / rest;
    }
    const bool positive =
        std::all_of(shape.begin(), shape.end(), [](int extent) { return extent > 0; });
    if (!positive || product(shape) != size) {
        std::string text;
        for (const int extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
        throw std::invalid_argument("a mesh of " + text + " does not hold " + std::to_string(size) +
                                    " ranks; the product of its extents must be their number");
    }
    return shape;
}

int compute_size(const GroupNode& node) {
    if (node.children.empty()) {
        if (node.size < 1)
            throw std::invalid_argument("group '" + node.name + "' of the tree needs a size");
        return node.size;
    }
    int size = 1;
    for (const auto& child : node.children) size *= compute_size(child);
    if (node.size != 0 && node.size != size)
        throw std::invalid_argument("group '" + node.name + "' has size " +
                                    std::to_string(node.size) + ", its children make " +
                                    std::to_string(size));
    return size;
}

/// Returns the groups orthogonal to `groups` inside each of `parents`.
RankLists make_orthogonal_inside(const RankLists& parents, const RankLists& groups) {
    RankLists result;
    std::size_t next = 0;
    for (const auto& parent : parents) {
        RankLists rows;
        for (std::size_t held = 0; held < parent.size(); held += rows.back().size())
            rows.push_back(groups[next++]);
        for (auto& column : orthogonal_groups(rows)) result.push_back(std::move(column));
    }
    return result;
}

void add_children(const GroupNode& node,
                  const RankLists& groups,
                  std::map<std::string, RankLists>& found) {
    RankLists left = groups;
    for (const auto& child : node.children) {
        const RankLists parts = contiguous_groups(left, compute_size(child));
        if (child.name.empty() || !found.emplace(child.name, parts).second)
            throw std::invalid_argument("the tree has two groups '" + child.name +
                                        "', or one without a name");
        left = make_orthogonal_inside(left, parts);
        add_children(child, parts, found);
    }
}

}  // namespace

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

RankMesh::RankMesh(RankList ranks, std::vector<int> shape, std::vector<std::string> names)
    : ranks_(std::move(ranks)), names_(std::move(names)) {
    if (shape.size() != names_.size() || shape.empty())
        throw std::invalid_argument("a mesh has " + std::to_string(shape.size()) + " extents and " +
                                    std::to_string(names_.size()) +
                                    " names; give at least one axis, and a name for each");
    if (std::set<std::string>(names_.begin(), names_.end()).size() != names_.size() ||
        std::count(names_.begin(), names_.end(), "") > 0)
        throw std::invalid_argument(
            "the names of the axes of a mesh are empty or equal; give every axis a unique name");
    if (std::count(shape.begin(), shape.end(), -1) > 1)
        throw std::invalid_argument(
            "several extents of a mesh are -1; at most one can be computed from the others");
    shape_ = complete_shape(std::move(shape), static_cast<int>(ranks_.size()));
}

std::vector<int> RankMesh::coordinates(int rank) const {
    const auto found = std::find(ranks_.begin(), ranks_.end(), rank);
    if (found == ranks_.end())
        throw std::invalid_argument("rank " + std::to_string(rank) + " is not on the mesh");
    int index = static_cast<int>(found - ranks_.begin());
    std::vector<int> position(shape_.size());
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
        position[axis] = index % shape_[axis];
        index /= shape_[axis];
    }
    return position;
}

RankLists RankMesh::groups_along(const std::vector<std::string>& axes) const {
    std::set<std::size_t> along;
    for (const auto& axis : axes) {
        const auto found = std::find(names_.begin(), names_.end(), axis);
        if (found == names_.end())
            throw std::invalid_argument("the mesh has no axis '" + axis + "'");
        along.insert(static_cast<std::size_t>(found - names_.begin()));
    }
    // Ranks with the same position on all other axes form a group.
    std::map<std::vector<int>, RankList> groups;
    for (const int rank : ranks_) {
        auto place = coordinates(rank);
        for (const auto axis : along) place[axis] = 0;
        groups[place].push_back(rank);
    }
    RankLists result;
    for (auto& entry : groups) result.push_back(std::move(entry.second));
    return result;
}

std::map<std::string, RankLists> groups_of_tree(const GroupNode& root, int size) {
    if (compute_size(root) != size)
        throw std::invalid_argument("the tree holds " + std::to_string(compute_size(root)) +
                                    " ranks, and there are " + std::to_string(size));
    std::map<std::string, RankLists> found{{root.name, {all_ranks(size)}}};
    add_children(root, found.begin()->second, found);
    return found;
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
