// SPDX-License-Identifier: MIT
// Handles of groups, and their shared state.
#include "distributed/ranks/process_group.h"

#include "distributed/ranks/environment.h"
#include "distributed/ranks/group_state.h"

namespace helioray {

ProcessGroup::ProcessGroup() {
    auto state = std::make_shared<detail::GroupState>();
    state->name = "alone";
    state->ranks = {0};
    state_ = std::move(state);
}

const std::string& ProcessGroup::name() const noexcept {
    return state_->name;
}
int ProcessGroup::rank() const noexcept {
    return state_->rank;
}
int ProcessGroup::size() const noexcept {
    return state_->size();
}
const std::vector<int>& ProcessGroup::ranks() const noexcept {
    return state_->ranks;
}

namespace detail {

std::shared_ptr<Channel> GroupState::connected() const {
    auto found = channel.lock();
    if (!found)
        throw DistributedError("the distributed environment of group '" + name + "' is closed");
    return found;
}

void GroupState::require_member(const std::string& operation, int requested) const {
    if (requested < 0 || requested >= size())
        throw std::invalid_argument(operation + ": rank " + std::to_string(requested) +
                                    " does not exist in group '" + name + "' of " +
                                    std::to_string(size()));
}

}  // namespace detail
}  // namespace helioray
