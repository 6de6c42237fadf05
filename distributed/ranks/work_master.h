// SPDX-License-Identifier: MIT
// Rank 0 of a run that hands out work to ranks that may be lost or join late.
#pragma once

#include "distributed/ranks/environment.h"
#include "distributed/ranks/work_pool.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Hands out the units of one task after the other to the workers that are connected (see Worker),
/// and receives their results. Rank 0 works as well, so a run ends even if all workers are lost.
/// The units of a lost or hanging worker go to other ranks; nothing is received twice. Workers may
/// join at any time. Uses the store of the run with its authentication and heartbeats, and no Gloo.
class WorkMaster {
  public:
    /// Serves the store; does not wait for workers. The launch of the options has the number of
    /// ranks. Throws DistributedError.
    explicit WorkMaster(const DistributedOptions& options);
    /// Ends the workers with a failure unless close() was called.
    ~WorkMaster();
    WorkMaster(const WorkMaster&) = delete;
    WorkMaster& operator=(const WorkMaster&) = delete;

    /// Begins a task; see WorkPool::open().
    void open(std::string text,
              const std::vector<WorkRange>& units,
              std::function<double(std::int64_t)> cost);
    /// Ends a task that is not complete.
    void abandon();
    /// Returns true if all units of the task are done.
    bool is_complete() const;
    /// Takes units for rank 0; see WorkPool::draw().
    std::optional<WorkRange> draw(double wanted, std::int64_t smallest);
    /// Marks units that rank 0 has drawn as done.
    void complete(WorkRange units);
    /// Waits until a result is delivered, a rank is lost, or `timeout` has passed.
    void wait(std::chrono::milliseconds timeout);

    /// Returns true if a worker has delivered a result.
    bool has_portions() const;
    /// Returns the delivered results. Call accept() or reject() for each of them.
    std::vector<WorkPortion> take_portions();
    /// Marks the units of a result as done.
    void accept(const WorkPortion& portion);
    /// Hands out the units of a damaged result again.
    void reject(const WorkPortion& portion);

    /// Returns a line for every rank that has been lost since the last call.
    std::vector<std::string> take_losses();

    /// Throws DistributedError if rank 0 itself counts as hanging.
    void check_peers() const;
    /// See DistributedEnvironment::watch_progress().
    std::shared_ptr<const void> watch_progress(WatchedWork work);
    /// Ends all workers with this reason. Never throws.
    void report_failure(const std::string& message) noexcept;
    /// Tells the workers that the run is over, and waits until they have left. Where the launcher
    /// does not end ranks that have never joined, waits for them for some seconds.
    void close();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace helioray
