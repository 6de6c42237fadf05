// SPDX-License-Identifier: MIT
// Shared state of the handles of one ProcessGroup.
#pragma once

#include "distributed/ranks/process_group.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

class Channel;

/// State that all handles of a group share.
struct GroupState {
    std::string name;                ///< name of the group
    std::vector<int> ranks;          ///< world ranks of the members
    int rank = 0;                    ///< this process's index in `ranks`
    std::optional<int> cuda_index;   ///< CUDA device of this rank
    std::weak_ptr<Channel> channel;  ///< connections; empty for a group of one rank

    int size() const noexcept { return static_cast<int>(ranks.size()); }
    bool alone() const noexcept { return ranks.size() == 1; }
    /// Returns the connections of the group. Throws DistributedError after the environment has been
    /// closed.
    std::shared_ptr<Channel> connected() const;
    /// Throws std::invalid_argument unless 0 <= rank < size.
    void require_member(const std::string& operation, int rank) const;
};

}  // namespace helioray::detail
