// SPDX-License-Identifier: MIT
// Checkpoints of a job's traced work, stored beside the result, so that an interrupted run
// continues.
#pragma once

#include "raytracer/run/options.h"
#include "raytracer/run/prepare.h"
#include "raytracer/run/stored/unit_set.h"
#include "raytracer/tracing/job/trace_job.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace helioray {
class DistributedEnvironment;
}

namespace helioray::run {

/// Stores the traced work of each rank in a separate file in the run's folder of parts. This needs
/// no communication between ranks, so each can still store its work after another one is lost.
/// Files with disjoint units always add up to a correct part of the whole; rank 0 adds them at the
/// next start. Ranks that do not see rank 0's folder, on machines without a common file system,
/// store nothing.
class Checkpoint {
  public:
    /// Creates the checkpoint of one step of a run; step 0 for a single run. All references must
    /// outlive this object. A run without parts(), which writes no result, stores nothing.
    Checkpoint(const PreparedRun& run,
               std::size_t step,
               DistributedEnvironment& environment,
               const Log& log);

    /// Adds the stored work of earlier starts to the sums, on rank 0. Collective. A damaged file
    /// causes a warning, and its units are traced again. Throws InputError if another process works
    /// on the run.
    void restore(TraceJob& job);
    /// Returns the restored units, on all ranks.
    const UnitSet& restored() const { return restored_; }
    /// Returns the rays of the restored units.
    std::int64_t restored_rays() const { return restored_rays_; }
    /// Returns the tracing time of earlier starts, s.
    double seconds_before() const { return seconds_before_; }

    /// Returns true if it is time to store. Any thread may call it.
    bool due() const;
    /// Stores the work that this rank has traced or restored. A failure to write causes one
    /// warning, and the last checkpoint remains.
    void store(const UnitSet& units, std::span<const std::int64_t> sums);
    /// Stores the work of a run that ends unfinished, if the run has taken long enough.
    void store_unfinished(const UnitSet& units, std::span<const std::int64_t> sums);

    /// Removes the files of this step, whose result has been stored. Called on rank 0.
    void remove();

  private:
    using Clock = std::chrono::steady_clock;

    UnitSet add_files(TraceJob& job);
    bool make_folder(std::chrono::milliseconds patience);
    bool write(const UnitSet& units,
               std::span<const std::int64_t> sums,
               std::chrono::milliseconds patience);
    double seconds() const;

    RunParts* parts_;  // null: nothing is stored
    std::size_t step_;
    DistributedEnvironment& environment_;
    const Log& log_;
    bool to_be_removed_;                      // remove parts of earlier starts
    std::chrono::duration<double> interval_;  // time between two checkpoints; 0 for none
    Clock::time_point start_ = Clock::now();
    std::atomic<Clock::time_point> next_;
    std::chrono::duration<double> last_write_{0.0};
    std::int64_t number_ = 0;  // number of this start
    UnitSet restored_;
    std::int64_t restored_rays_ = 0;
    double seconds_before_ = 0.0;
    bool stored_ = false;
    bool warned_ = false;
};

}  // namespace helioray::run
