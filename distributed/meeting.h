// SPDX-License-Identifier: MIT
// Where the ranks of a group say what they are about to do.
#pragma once

#include "distributed/transport.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace helioray::detail {

class World;

/// Before a collective the ranks of a group meet in the store. Only when all are there and agree
/// does data move: so a missing rank has a name, a wrong shape is an error instead of the end of
/// the process, and no operation is ever left waiting for a rank that failed earlier.
class Meeting {
  public:
    /// `store`: of this group alone. `ranks`: of the world, by rank within the group; this process
    /// is ranks[rank].
    Meeting(World& world, Store store, std::vector<int> ranks, int rank);

    /// Waits until all have come, and returns what each brought, by rank. Throws DistributedError,
    /// naming the ranks that are missing after `timeout`, or two operations that differ.
    std::vector<std::string> arrive(const std::string& operation,
                                    const std::string& payload,
                                    std::chrono::milliseconds timeout);

  private:
    [[noreturn]] void fail_for_missing(const std::string& operation,
                                       const std::vector<std::string>& keys,
                                       std::chrono::milliseconds timeout);
    std::vector<std::string> agreed(const std::vector<std::string>& values);

    World& world_;
    Store store_;
    const std::vector<int> ranks_;
    const int rank_;
    std::int64_t sequence_ = 0;
};

}  // namespace helioray::detail
