// SPDX-License-Identifier: MIT
// Counts this rank's rays and tells the program.
#pragma once

#include "raytracer/run/options.h"

#include <atomic>
#include <cstdint>
#include <mutex>

namespace helioray::run {

/// The rays of one or several traces of this rank. The options outlive it.
class ProgressReport {
  public:
    /// `expected`: rays in the end, about.
    ProgressReport(const Options& options, std::int64_t expected);
    ~ProgressReport();
    ProgressReport(const ProgressReport&) = delete;
    ProgressReport& operator=(const ProgressReport&) = delete;

    /// Grows while rays are traced.
    std::atomic<std::int64_t>& rays() { return rays_; }
    /// Tells the program where it stands. Any thread may call it.
    void report();
    /// Tells it for the last time. Later calls do nothing.
    void finish();

  private:
    void tell(bool finished);

    const Options& options_;
    const std::int64_t expected_;
    std::atomic<std::int64_t> rays_{0};
    std::mutex mutex_;
    bool finished_ = false;  // guarded by mutex_
};

}  // namespace helioray::run
