// SPDX-License-Identifier: MIT
// The state of a ProcessGroup.
#pragma once

#include "distributed/process_group.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

class Channel;

/// A group as its handles share it.
struct GroupState {
    std::string name;
    std::vector<int> ranks;
    int rank = 0;
    std::optional<int> cuda_index;   ///< of this rank's device
    std::weak_ptr<Channel> channel;  ///< none where the rank is alone

    int size() const noexcept { return static_cast<int>(ranks.size()); }
    bool alone() const noexcept { return ranks.size() == 1; }
    /// The group's connections. Throws DistributedError once the environment is gone.
    std::shared_ptr<Channel> connected() const;
    /// Throws std::invalid_argument unless 0 <= rank < size.
    void require_member(const std::string& operation, int rank) const;
};

}  // namespace helioray::detail
