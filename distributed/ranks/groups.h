// SPDX-License-Identifier: MIT
// The named groups of a run.
#pragma once

#include "distributed/ranks/group_layout.h"
#include "distributed/ranks/process_group.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

class DistributedEnvironment;

/// Groups of ranks by name. A name stands for a set of disjoint groups; each rank has access to the
/// one that contains it. The name "world" always exists and holds all ranks.
///
/// The functions add...() are collective over all ranks of the environment, also for ranks that are
/// in none of the groups. They throw DistributedError if the calls of the ranks differ or a rank
/// fails, and std::invalid_argument for impossible layouts and for names that exist already. Groups
/// of one rank open no connections.
class Groups {
  public:
    /// `environment` must outlive this object.
    explicit Groups(DistributedEnvironment& environment);

    /// Adds disjoint groups.
    void add(const std::string& name, const RankLists& groups);
    /// Adds one group.
    void add(const std::string& name, const RankList& ranks);
    /// Splits every group of `parent` into contiguous groups of `size` ranks.
    void add_contiguous(const std::string& name, int size, const std::string& parent = "world");
    /// Adds the groups orthogonal to those of `base`: one with all their first ranks, one with all
    /// their second ranks, and so on.
    void add_orthogonal(const std::string& name, const std::string& base);
    /// Adds the groups of ranks that share a heliostat group, as heliostat_rank_groups() forms
    /// them.
    void add_heliostat_groups(int groups, const std::string& name = "heliostat_group");

    /// Returns true if the name exists and this rank is in one of its groups.
    bool is_member(const std::string& name) const;
    /// Returns this rank's group of that name. Throws std::invalid_argument if the name does not
    /// exist or none of its groups contains this rank.
    const ProcessGroup& group(const std::string& name) const;
    /// Returns the index of this rank in its group of that name; throws as group() does.
    int rank(const std::string& name) const { return group(name).rank(); }
    /// Returns the size of this rank's group of that name; throws as group() does.
    int size(const std::string& name) const { return group(name).size(); }
    /// Returns all groups of that name.
    const RankLists& layout(const std::string& name) const;
    /// Returns the names of all groups, sorted.
    std::vector<std::string> names() const;
    /// Returns one line per name: this rank's index in its group, and the ranks of all groups.
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
