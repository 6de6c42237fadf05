// SPDX-License-Identifier: MIT
// Work on several threads whose ATen operations are single-threaded.
#include "raytracer/artist/parallel.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace helioray::artist {

void for_each_index(int64_t n, const std::function<void(int64_t)>& body) {
    std::atomic<int64_t> next{0};
    std::exception_ptr error;
    std::mutex mutex;
    const auto work = [&] {
        const c10::ParallelGuard single_threaded(true);
        try {
            for (int64_t k = next++; k < n; k = next++) body(k);
        } catch (...) {
            next = n;
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
        }
    };
    const int64_t num_helpers = std::min<int64_t>(at::get_num_threads(), n) - 1;
    {
        std::vector<std::jthread> helpers;
        for (int64_t k = 0; k < num_helpers; ++k) helpers.emplace_back(work);
        work();
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace helioray::artist
