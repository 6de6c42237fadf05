// SPDX-License-Identifier: MIT
// Threads of a rank, and messages of failures.
#include "raytracer/run/options.h"

#include <algorithm>
#include <new>
#include <thread>

namespace helioray::run {

int threads_of_rank(const LaunchInfo& launch) {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / std::max(1, launch.local_world_size));
}

std::string readable_message(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
        return "out of memory; use a smaller bitmap or fewer targets";
    return error.what();
}

}  // namespace helioray::run
