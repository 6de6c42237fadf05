// SPDX-License-Identifier: MIT
// A group of ranks that work together.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// Element by element over the ranks of a group. mean: the sum divided by the number of ranks, for
/// floating-point types only.
enum class Reduction { sum, minimum, maximum, mean };

namespace detail {
struct GroupState;
}

/// Some ranks of a run in a fixed order, this one among them: what collectives.h and its neighbours
/// work on. A handle, cheap to copy; its connections live as long as the DistributedEnvironment
/// that made it, and a call after that is a DistributedError. A group of one rank has no
/// connections: its collectives are local.
class ProcessGroup {
  public:
    /// A group of this process alone, without any environment.
    ProcessGroup();
    /// For use by DistributedEnvironment.
    explicit ProcessGroup(std::shared_ptr<const detail::GroupState> state)
        : state_(std::move(state)) {}

    /// "world" for all ranks, else the name given to split().
    const std::string& name() const noexcept;
    /// Position of this process in ranks().
    int rank() const noexcept;
    int size() const noexcept;  ///< number of ranks in it
    /// The members' ranks in the world, by rank within the group.
    const std::vector<int>& ranks() const noexcept;

    /// Its connections, for the functions that work on groups.
    const detail::GroupState& state() const noexcept { return *state_; }

  private:
    std::shared_ptr<const detail::GroupState> state_;
};

}  // namespace helioray
