// SPDX-License-Identifier: MIT
// What is traced of a job so far, kept beside the result so that an interrupted run continues.
#pragma once

#include "raytracer/job/trace_job.h"
#include "raytracer/run/options.h"
#include "raytracer/run/prepare.h"
#include "raytracer/run/unit_set.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace helioray {
class DistributedEnvironment;
}

namespace helioray::run {

/// Keeps what each rank has traced in a file of its own in the run's folder of parts. Ranks need
/// not meet for that, so that each can still do it when another one is lost. Any files whose units
/// differ add up to a right part of the whole; rank 0 adds them up at the next start. Ranks that do
/// not see rank 0's folder, on machines without a common file system, keep nothing.
class Checkpoint {
  public:
    /// Of one step of a run; step 0 of a single run. All outlive this object. A run without
    /// parts(), one that writes no result, keeps nothing.
    Checkpoint(const PreparedRun& run,
               std::size_t step,
               DistributedEnvironment& environment,
               const Log& log);

    /// Adds to the sums, on rank 0, what earlier starts have kept. Collective. A damaged file is a
    /// warning, and its units are traced again. Throws InputError where another process works on
    /// the run.
    void restore(TraceJob& job);
    /// The units that are restored, on all ranks.
    const UnitSet& restored() const { return restored_; }
    /// Their rays.
    std::int64_t restored_rays() const { return restored_rays_; }
    /// Seconds that earlier starts have traced.
    double seconds_before() const { return seconds_before_; }

    /// Whether it is time to store. Any thread may ask.
    bool due() const;
    /// Stores what this rank has traced, with what it has restored. A disk that takes no more is
    /// one warning, and the last state stays.
    void store(const UnitSet& units, std::span<const std::int64_t> sums);
    /// The same where the run ends unfinished, if it has taken long enough to be worth it.
    void keep(const UnitSet& units, std::span<const std::int64_t> sums);

    /// Removes the files of this step: its result is stored. Of rank 0.
    void remove();

  private:
    using Clock = std::chrono::steady_clock;

    UnitSet add_files(TraceJob& job);
    bool make_folder(std::chrono::milliseconds patience);
    bool write(const UnitSet& units,
               std::span<const std::int64_t> sums,
               std::chrono::milliseconds patience);
    double seconds() const;

    RunParts* parts_;  // nothing: keeps nothing
    std::size_t step_;
    DistributedEnvironment& environment_;
    const Log& log_;
    bool to_be_removed_;                      // parts of earlier starts
    std::chrono::duration<double> interval_;  // 0: never
    Clock::time_point start_ = Clock::now();
    std::atomic<Clock::time_point> next_;
    std::chrono::duration<double> last_write_{0.0};
    std::int64_t number_ = 0;  // of this start
    UnitSet restored_;
    std::int64_t restored_rays_ = 0;
    double seconds_before_ = 0.0;
    bool stored_ = false;
    bool warned_ = false;
};

}  // namespace helioray::run
