// SPDX-License-Identifier: MIT
// Number of threads of a rank, and messages of failures.
#include "raytracer/run/options.h"

#include "kernels/processor_cores.h"
#include "scenario/run_config.h"

#include <algorithm>
#include <cmath>
#include <new>

namespace helioray::run {

int threads_of_rank(const LaunchInfo& launch) {
    const int ranks = launch.local_world_size > 0 ? launch.local_world_size : launch.world_size;
    return std::max(1, kernels::usable_cores() / ranks);
}

std::chrono::milliseconds timeout_of(const RunConfig& config) {
    // Round up, so that less than a millisecond does not become 0.
    return std::chrono::milliseconds(
        static_cast<int64_t>(std::ceil(config.distributed.timeout_s * 1000.0)));
}

std::string readable_message(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
        return "out of memory; use a smaller bitmap or fewer targets";
    return error.what();
}

}  // namespace helioray::run
