// SPDX-License-Identifier: MIT
// Named groups: layouts, connections, queries.
#include "distributed/ranks/groups.h"

#include "distributed/ranks/environment.h"
#include "distributed/ranks/group_layout.h"

#include <stdexcept>

namespace helioray {
namespace {

std::string format_groups(const RankLists& groups) {
    std::string text;
    for (const auto& group : groups) {
        std::string ranks;
        for (const int rank : group) ranks += (ranks.empty() ? "" : " ") + std::to_string(rank);
        text += (text.empty() ? "[" : ", [") + ranks + "]";
    }
    return text;
}

}  // namespace

Groups::Groups(DistributedEnvironment& environment) : environment_(environment) {
    entries_["world"] = {RankLists{all_ranks(environment.world_size())}, environment.world()};
}

void Groups::add(const std::string& name, const RankLists& groups) {
    if (name.empty() || entries_.count(name) != 0)
        throw std::invalid_argument(
            "'" + name + "' is not a new group name; choose one that is not empty or used already");
    entries_[name] = {groups, environment_.split(name, groups)};
}

void Groups::add(const std::string& name, const RankList& ranks) {
    add(name, RankLists{ranks});
}

void Groups::add_contiguous(const std::string& name, int size, const std::string& parent) {
    add(name, contiguous_groups(layout(parent), size));
}

void Groups::add_orthogonal(const std::string& name, const std::string& base) {
    add(name, orthogonal_groups(layout(base)));
}

void Groups::add_heliostat_groups(int groups, const std::string& name) {
    add(name, heliostat_rank_groups(environment_.world_size(), groups));
}

bool Groups::is_member(const std::string& name) const {
    const auto found = entries_.find(name);
    return found != entries_.end() && found->second.mine;
}

const Groups::Entry& Groups::entry(const std::string& name) const {
    const auto found = entries_.find(name);
    if (found != entries_.end()) return found->second;
    std::string known;
    for (const auto& other : names()) known += (known.empty() ? "" : ", ") + other;
    throw std::invalid_argument("there is no group '" + name + "'; the groups are " + known);
}

const ProcessGroup& Groups::group(const std::string& name) const {
    const auto& found = entry(name);
    if (!found.mine)
        throw std::invalid_argument("rank " + std::to_string(environment_.rank()) +
                                    " is not in group '" + name +
                                    "': " + format_groups(found.layout));
    return *found.mine;
}

const RankLists& Groups::layout(const std::string& name) const {
    return entry(name).layout;
}

std::vector<std::string> Groups::names() const {
    std::vector<std::string> found;
    for (const auto& item : entries_) found.push_back(item.first);
    return found;
}

std::string Groups::describe() const {
    std::string text;
    for (const auto& [name, found] : entries_) {
        text += name + ": ";
        text += found.mine ? "rank " + std::to_string(found.mine->rank()) + " of " +
                                 std::to_string(found.mine->size())
                           : "not a member";
        text += ", " + format_groups(found.layout) + "\n";
    }
    return text;
}

}  // namespace helioray
