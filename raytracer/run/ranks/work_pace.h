// SPDX-License-Identifier: MIT
// Size of the portions of work that a rank draws from rank 0.
#pragma once

#include "distributed/ranks/watched_work.h"
#include "raytracer/tracing/job/trace_job.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace helioray::run {

/// Speed of this rank, and the rays that it traces in half a second.
class WorkPace {
  public:
    /// Adds rays that have been traced in this time.
    void add(std::int64_t rays, double seconds) {
        if (rays > 0) rays_per_second_ = static_cast<double>(rays) / std::max(seconds, 1e-6);
    }
    /// Returns the rays to draw next; 0 before the speed is known.
    double wanted() const { return 0.5 * rays_per_second_; }

  private:
    double rays_per_second_ = 0.0;
};

/// Returns the smallest number of units that keep a rank busy: one per thread; a GPU needs 64 in a
/// launch. cuda_devices: of the rank; empty: CPU.
inline std::int64_t least_units(const std::vector<int>& cuda_devices, int num_threads) {
    constexpr std::int64_t kCudaLanes = 64;
    return cuda_devices.empty() ? num_threads : kCudaLanes * std::ssize(cuda_devices);
}

/// Returns the number of rays of the units [first, last).
inline std::int64_t count_rays(const TraceJob& job, std::int64_t first, std::int64_t last) {
    std::int64_t rays = 0;
    for (std::int64_t unit = first; unit < last; ++unit) rays += job.rays_of_unit(unit);
    return rays;
}

/// Returns the work of a rank that traces with this control, for heartbeats. The control must
/// outlive it. A device returns after each launch of limited size, and waiting for it may take
/// processor time.
inline WatchedWork watched_tracing(const TraceControl& control) {
    return {
        .phase = "tracing",
        .progress = [&control] { return static_cast<std::uint64_t>(control.rays_done->load()); },
        .counts_processor_time = !control.use_cuda()};
}

}  // namespace helioray::run
