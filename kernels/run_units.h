// SPDX-License-Identifier: MIT
// Distributes work units to threads.
#pragma once

#include "kernels/trace_flux.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace helioray::kernels {

/// Calls make_worker once on every thread, and the returned worker for each unit that the thread
/// draws; stops early when cancelled. A worker is destroyed when its thread has no more units.
/// Returns the number of finished units, which are always the first ones, even if cancelled.
template <typename MakeWorker>
int64_t run_units(const WorkUnit* units,
                  int64_t num_units,
                  const CpuOptions& options,
                  const MakeWorker& make_worker) {
    std::atomic<int64_t> next{0};
    const auto work = [&] {
        auto worker = make_worker();
        // A drawn unit is always finished, so the finished units have no gaps.
        while (options.cancel == nullptr || !options.cancel->load(std::memory_order_relaxed)) {
            const int64_t i = next++;
            if (i >= num_units) return;
            worker(units[i]);
            if (options.rays_done != nullptr) {
                options.rays_done->fetch_add(2 * units[i].rays_per_block * units[i].num_heliostats,
                                             std::memory_order_relaxed);
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int t = 1; t < options.num_threads && t < num_units; ++t) threads.emplace_back(work);
        work();
    }
    return std::min(next.load(), num_units);
}

}  // namespace helioray::kernels
