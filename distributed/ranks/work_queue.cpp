// SPDX-License-Identifier: MIT
// Chunks are taken in the order of a counter that all ranks share.
#include "distributed/ranks/work_queue.h"

#include "distributed/ranks/environment.h"
#include "kernels/host/partition.h"

namespace helioray {

WorkQueue::WorkQueue(DistributedEnvironment& environment,
                     const std::string& name,
                     const std::vector<double>& costs,
                     std::int64_t smallest)
    : environment_(environment),
      counter_("queue/" + name),
      ends_(shrinking_chunks(costs, environment.world_size(), smallest)) {}

std::optional<std::pair<std::int64_t, std::int64_t>> WorkQueue::next() {
    const std::int64_t chunk = environment_.fetch_add(counter_);
    if (chunk >= static_cast<std::int64_t>(ends_.size())) return std::nullopt;
    return std::pair{chunk > 0 ? ends_[chunk - 1] : 0, ends_[chunk]};
}

}  // namespace helioray
