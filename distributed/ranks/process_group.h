// SPDX-License-Identifier: MIT
// Handles of groups of ranks.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// Reductions over the ranks of a group, element by element. `mean` is the sum divided by the
/// number of ranks, for floating-point types only.
enum class Reduction { sum, minimum, maximum, mean };

namespace detail {
struct GroupState;
}

/// Ranks of a run in a fixed order, this rank among them. Collectives and messages work on groups.
/// The handle is cheap to copy. Its connections belong to the DistributedEnvironment that created
/// it; calls after that is closed throw DistributedError. A group of one rank has no connections,
/// and its collectives are local.
class ProcessGroup {
  public:
    /// Creates a group of this process alone, without an environment.
    ProcessGroup();
    /// Used by DistributedEnvironment.
    explicit ProcessGroup(std::shared_ptr<const detail::GroupState> state)
        : state_(std::move(state)) {}

    /// Returns "world" for the group of all ranks, else the name given to split().
    const std::string& name() const noexcept;
    /// Returns the index of this process in ranks().
    int rank() const noexcept;
    int size() const noexcept;  ///< number of ranks in the group
    /// Returns the world ranks of the members, indexed by rank within the group.
    const std::vector<int>& ranks() const noexcept;

    /// Returns the shared state, for the functions that work on groups.
    const detail::GroupState& state() const noexcept { return *state_; }

  private:
    std::shared_ptr<const detail::GroupState> state_;
};

}  // namespace helioray
