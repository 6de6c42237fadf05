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
    if (ended_) return std::nullopt;
    const std::int64_t chunk = environment_.fetch_add(counter_);
    const auto count = static_cast<std::int64_t>(ends_.size());
    if (chunk >= count) {
        ended_ = true;
        // Every rank has seen the end, so that ranks which stay connected for months keep no
        // counter for each of their queues.
        if (chunk == count + environment_.world_size() - 1) environment_.remove_counter(counter_);
        return std::nullopt;
    }
    return std::pair{chunk > 0 ? ends_[chunk - 1] : 0, ends_[chunk]};
}

}  // namespace helioray
