// SPDX-License-Identifier: MIT
// Number of threads of a rank, and messages of failures.
#include "raytracer/run/options.h"

#include "kernels/core/out_of_memory.h"
#include "kernels/host/processor_cores.h"
#include "scenario/types/run_config.h"

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
    const std::string remedy =
        "; use a smaller bitmap, fewer targets or fewer threads, leave output.per_heliostat out, "
        "or "
        "raise the limit of memory (ulimit -v)";
    const auto* known = dynamic_cast<const kernels::OutOfMemory*>(&error);
    if (known != nullptr && known->bytes() > 0) return known->what() + remedy;
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory" + remedy;
    return error.what();
}

}  // namespace helioray::run
