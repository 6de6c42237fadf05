// SPDX-License-Identifier: MIT
// The named groups of a run.
#pragma once

#include "distributed/group_layout.h"
#include "distributed/process_group.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

class DistributedEnvironment;

/// Groups of ranks by name. A name covers groups side by side; each rank knows the one that it
/// belongs to. Members that add groups are collective over all ranks of the environment, also for
/// those that are in none, and compare what the ranks ask for; they throw DistributedError when the
/// ranks disagree or fail, std::invalid_argument for impossible layouts, and for a name that is
/// taken. "world", all ranks, is always there. Groups of one rank open no connections.
class Groups {
  public:
    /// `environment` outlives this object.
    explicit Groups(DistributedEnvironment& environment);

    /// Groups of these ranks; no rank is in two of them.
    void add(const std::string& name, const RankLists& groups);
    /// One group; the other ranks are not in it.
    void add(const std::string& name, const RankList& ranks);
    /// Contiguous groups of `size` ranks in every group of `parent`.
    void add_contiguous(const std::string& name, int size, const std::string& parent = "world");
    /// The groups across those of `of`: first ranks together, second ranks together, ...
    void add_orthogonal(const std::string& name, const std::string& base);
    /// One name per axis of a mesh over all ranks.
    RankMesh add_mesh(const std::vector<int>& shape, const std::vector<std::string>& names);
    /// Ranks of a mesh of this object that differ only along these axes.
    void add_along(const std::string& name,
                   const RankMesh& mesh,
                   const std::vector<std::string>& axes);
    /// Every node of a tree but its root, which is the world.
    void add_tree(const GroupNode& root);
    /// "heliostat_group": the ranks that share one of ARTIST's heliostat groups.
    void add_heliostat_groups(int groups, const std::string& name = "heliostat_group");

    /// True where the name exists and this rank is in one of its groups.
    bool is_member(const std::string& name) const;
    /// This rank's group of that name. Throws std::invalid_argument, with the names there are,
    /// for others, and where this rank is in none.
    const ProcessGroup& group(const std::string& name) const;
    /// This rank's place in its group of that name, and how many are in it; throw as group().
    int rank(const std::string& name) const { return group(name).rank(); }
    int size(const std::string& name) const { return group(name).size(); }
    /// All groups of that name.
    const RankLists& layout(const std::string& name) const;
    /// Of all groups, also of those this rank is in none of; sorted.
    std::vector<std::string> names() const;
    /// A line for each name: this rank's place in it, and all groups.
    std::string describe() const;

  private:
    struct Entry {
        RankLists layout;
        std::optional<ProcessGroup> mine;
    };

    const Entry& entry(const std::string& name) const;

    DistributedEnvironment& environment_;
    std::map<std::string, Entry> entries_;
};

}  // namespace helioray
