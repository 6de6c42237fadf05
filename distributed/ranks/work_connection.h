// SPDX-License-Identifier: MIT
// Connection of a rank to a run whose rank 0 hands out work: the store, the heartbeats, and the
// messages for failures. Rank 0 and the workers share it.
#pragma once

#include "distributed/ranks/discovery/rank_info.h"
#include "distributed/ranks/environment.h"
#include "distributed/ranks/peer_monitor.h"
#include "distributed/store/open_store.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace helioray::detail {

/// Requests of workers to rank 0. The numbers are part of the wire format.
enum class WorkRequest : std::uint8_t {
    draw,     ///< wanted cost, smallest number of units; answer: WorkAnswer, task, text, range
    deliver,  ///< task, size of the result, offset, bytes; answer: WorkAnswer
};

/// First byte of rank 0's answers. The numbers are part of the wire format.
enum class WorkAnswer : std::uint8_t {
    units,  ///< a range of units follows
    wait,   ///< nothing to do, or no memory for the result, at the moment
    done,   ///< the run is over; or the bytes have been stored
};

/// Opens the store, joins the run and sends heartbeats.
class WorkConnection {
  public:
    /// Connects; with `work` as rank 0, which serves the store, otherwise as a worker. Throws
    /// DistributedError and RanksNotReady.
    WorkConnection(const DistributedOptions& options, WorkService* work);
    /// Calls abort() unless the connection is closed.
    ~WorkConnection();
    WorkConnection(const WorkConnection&) = delete;
    WorkConnection& operator=(const WorkConnection&) = delete;

    const DistributedOptions& options() const { return options_; }
    /// Returns "rank 1 on host x (pid 42)".
    const std::string& name() const { return name_; }
    /// Sends a request to rank 0. Throws DistributedError with the first known cause.
    std::string request(const std::string& request);
    /// Throws DistributedError if the failure of rank 0, or the loss of this rank, is known.
    void check_peers() const;
    /// See DistributedEnvironment::watch_progress().
    std::shared_ptr<const void> watch_progress(WatchedWork work);
    /// Counts a wait for other ranks as progress.
    void count_wait() { monitor_->count_call(); }
    /// Publishes why this rank fails. Never throws.
    void report_failure(const std::string& message) noexcept;
    /// Returns the first known failure, waiting up to `timeout` for one.
    std::optional<std::string> await_failure(std::chrono::milliseconds timeout) const {
        return monitor_->await_cause(timeout);
    }
    /// Closes this rank's membership without a failure; rank 0 waits for the others, and frees the
    /// port.
    void close();

  private:
    void join(WorkService* work);
    void abort() noexcept;

    const DistributedOptions options_;
    std::string name_;
    OpenedStore opened_;
    std::unique_ptr<PeerMonitor> monitor_;
    bool closed_ = false;
};

}  // namespace helioray::detail
