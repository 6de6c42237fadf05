// SPDX-License-Identifier: MIT
// A rank that works for rank 0 of a run that hands out work.
#pragma once

#include "distributed/ranks/environment.h"
#include "distributed/ranks/work_pool.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace helioray {

/// Connection of a worker to rank 0 (see WorkMaster). A worker draws units, works, draws more of
/// the same task, and delivers one result for all units that it has drawn since the last one.
class Worker {
  public:
    /// Connects to rank 0, which may have begun long ago. Throws DistributedError if it cannot be
    /// reached within the time-out or has other settings, and RanksNotReady if it has a problem.
    explicit Worker(const DistributedOptions& options);
    /// Tells rank 0 that this rank has failed unless close() was called.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Answer of rank 0 to draw().
    struct Draw {
        bool is_over = false;            ///< the run is over
        std::int64_t task = 0;           ///< number of the task of the units
        std::string text;                ///< description of the task
        std::optional<WorkRange> units;  ///< units to work on; none: deliver, or ask again later
    };
    /// Asks for units; see WorkPool::draw(). Throws DistributedError if rank 0 is gone, or
    /// continues without this rank.
    Draw draw(double wanted, std::int64_t smallest);
    /// Sends a result for all units that this rank has drawn and not delivered. Waits while rank 0
    /// receives others, and calls `wait_callback` of the options. Throws as draw() does.
    void deliver(std::int64_t task, std::string_view result);

    /// Throws DistributedError if the failure of rank 0, or the loss of this rank, is known.
    void check_peers() const;
    /// See DistributedEnvironment::watch_progress().
    std::shared_ptr<const void> watch_progress(WatchedWork work);
    /// Tells rank 0 why this rank fails. Never throws.
    void report_failure(const std::string& message) noexcept;
    /// Leaves a run that is over.
    void close();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace helioray
