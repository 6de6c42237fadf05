// SPDX-License-Identifier: MIT
// Dynamic distribution of work: ranks take items as they become free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

class DistributedEnvironment;

/// A shared queue of the items 0..n-1; each item is taken by one rank. Every rank computes the same
/// chunks, and a counter in the store holds the next one, so no rank has to coordinate. Taking a
/// chunk costs one call to the store. The chunks shrink towards the end (shrinking_chunks()), so a
/// slow rank delays the others by one small chunk at most.
class WorkQueue {
  public:
    /// `name` must be unique among the queues of the environment. `costs` holds the cost of each
    /// item, `smallest` is the minimal number of items of a chunk; both must be equal on all ranks.
    /// The environment must outlive the queue. Not a collective. Throws std::invalid_argument as
    /// shrinking_chunks() does.
    WorkQueue(DistributedEnvironment& environment,
              const std::string& name,
              const std::vector<double>& costs,
              std::int64_t smallest = 1);

    /// Takes the next chunk and returns its items [begin, end), or nothing if all items have been
    /// taken. The last rank that finds nothing removes the counter from the store. Throws
    /// DistributedError if a rank has failed.
    std::optional<std::pair<std::int64_t, std::int64_t>> next();

  private:
    DistributedEnvironment& environment_;
    std::string counter_;
    std::vector<std::int64_t> ends_;
    bool ended_ = false;
};

}  // namespace helioray
