// SPDX-License-Identifier: MIT
// Distributes work units to threads.
#pragma once

#include "kernels/trace_flux.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace helioray::kernels {

/// Calls make_worker once on every thread, and the returned worker for each unit that the thread
/// draws; stops early when cancelled. A worker is destroyed when its thread has no more units.
/// Returns the number of finished units, which are always the first ones, even if cancelled.
/// Rethrows the first failure of a worker once all threads have ended. If the system refuses a
/// thread, the others do its work.
template <typename MakeWorker>
int64_t run_units(const WorkUnit* units,
                  int64_t num_units,
                  const CpuOptions& options,
                  const MakeWorker& make_worker) {
    std::atomic<int64_t> next{0};
    std::mutex failing;
    std::exception_ptr failure;
    const auto draw = [&] {
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
    const auto work = [&] {
        try {
            draw();
        } catch (...) {
            next = num_units;
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int t = 1; t < options.num_threads && t < num_units; ++t) {
            try {
                threads.emplace_back(work);
            } catch (const std::system_error&) {
                break;
            }
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
    return std::min(next.load(), num_units);
}

}  // namespace helioray::kernels
