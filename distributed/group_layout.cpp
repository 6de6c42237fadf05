// SPDX-License-Identifier: MIT
// Contiguous and orthogonal groups, meshes, trees.
#include "distributed/group_layout.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

namespace helioray {
namespace {

int product(const std::vector<int>& values) {
    return std::accumulate(values.begin(), values.end(), 1, std::multiplies<>());
}

/// -1 becomes what is left.
std::vector<int> completed(std::vector<int> shape, int size) {
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
                                    " ranks");
    }
    return shape;
}

int size_of(const GroupNode& node) {
    if (node.children.empty()) {
        if (node.size < 1)
            throw std::invalid_argument("group '" + node.name + "' of the tree needs a size");
        return node.size;
    }
    int size = 1;
    for (const auto& child : node.children) size *= size_of(child);
    if (node.size != 0 && node.size != size)
        throw std::invalid_argument("group '" + node.name + "' has size " +
                                    std::to_string(node.size) + ", its children make " +
                                    std::to_string(size));
    return size;
}

/// Groups orthogonal to `groups` inside each of `parents`.
RankLists orthogonal_inside(const RankLists& parents, const RankLists& groups) {
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
        const RankLists parts = contiguous_groups(left, size_of(child));
        if (child.name.empty() || !found.emplace(child.name, parts).second)
            throw std::invalid_argument("the tree has two groups '" + child.name +
                                        "', or one without a name");
        left = orthogonal_inside(left, parts);
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
        throw std::invalid_argument("a mesh needs a name for every axis, and an axis");
    if (std::set<std::string>(names_.begin(), names_.end()).size() != names_.size() ||
        std::count(names_.begin(), names_.end(), "") > 0)
        throw std::invalid_argument("the axes of a mesh need names of their own");
    if (std::count(shape.begin(), shape.end(), -1) > 1)
        throw std::invalid_argument("only one axis of a mesh can take what is left");
    shape_ = completed(std::move(shape), static_cast<int>(ranks_.size()));
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
    // Ranks with the same position on all other axes belong together.
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
    if (size_of(root) != size)
        throw std::invalid_argument("the tree holds " + std::to_string(size_of(root)) +
                                    " ranks, and there are " + std::to_string(size));
    std::map<std::string, RankLists> found{{root.name, {all_ranks(size)}}};
    add_children(root, found.begin()->second, found);
    return found;
}

}  // namespace helioray
