// SPDX-License-Identifier: MIT
// Work that ranks draw as they become free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

class DistributedEnvironment;

/// Items 0..n-1, handed out once each to whichever rank asks next. No rank is the master: every
/// rank makes the same queue, and a counter in the ranks' store says which chunk is next. A draw
/// costs one message; the chunks shrink towards the end (shrinking_chunks()), so that a slow rank
/// delays the others by one small chunk at most.
class WorkQueue {
  public:
    /// `name`: one name per queue, new for every queue of an environment. `costs` of the items and
    /// `smallest`, the least number of items of a chunk, are equal on all ranks. The environment
    /// outlives the queue. Not a collective. Throws std::invalid_argument as shrinking_chunks().
    WorkQueue(DistributedEnvironment& environment,
              const std::string& name,
              const std::vector<double>& costs,
              std::int64_t smallest = 1);

    /// Next items [begin, end) for this rank; nothing when all have been drawn. Throws
    /// DistributedError when a rank has failed.
    std::optional<std::pair<std::int64_t, std::int64_t>> next();

  private:
    DistributedEnvironment& environment_;
    std::string counter_;
    std::vector<std::int64_t> ends_;
};

}  // namespace helioray
