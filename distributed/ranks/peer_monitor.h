// SPDX-License-Identifier: MIT
// Background thread that sends heartbeats to the store and learns of failures of other ranks.
#pragma once

#include "distributed/store/client.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace helioray::detail {

/// Options of a PeerMonitor.
struct MonitorOptions {
    StoreClientOptions store;  ///< address of the store; the monitor sets `sends_heartbeats`
    std::string server;        ///< rank that serves the store, "rank 0 on host x (pid 42)"
    std::chrono::milliseconds interval{500};  ///< time between two heartbeats
    /// Time without an answer after which the server counts as hanging.
    std::chrono::milliseconds heartbeat_timeout{15'000};
};

/// Sends heartbeats from a thread with a separate connection to the store. If this connection
/// breaks, the store reports this rank as failed. Makes one call per interval for any number of
/// ranks.
class PeerMonitor {
  public:
    /// Connects and starts the thread. Throws TransportError.
    explicit PeerMonitor(MonitorOptions options, const WaitCallback& wait_callback = {});
    /// Calls stop().
    ~PeerMonitor();

    PeerMonitor(const PeerMonitor&) = delete;
    PeerMonitor& operator=(const PeerMonitor&) = delete;

    /// Returns the first known cause of a failure, if any. Uses no network.
    std::optional<std::string> cause() const;
    /// Returns the first known cause of a failure, waiting up to `timeout` for one.
    std::optional<std::string> await_cause(std::chrono::milliseconds timeout) const;
    /// Records a cause that another connection to the store received, unless one is known.
    void set_cause(const std::string& cause);
    /// Publishes `cause` as the failure of the run unless another one is known. Waits until the
    /// store has it, at most `timeout`.
    void report(const std::string& cause, std::chrono::milliseconds timeout);
    /// Closes the rank's membership of the run unless the run has failed, and ends the thread.
    void stop();

  private:
    void run();

    const MonitorOptions options_;
    StoreClient client_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    // Guarded by mutex_:
    std::optional<std::string> cause_;      // first known cause of a failure
    std::optional<std::string> to_report_;  // cause that the thread must publish
    bool stopping_ = false;                 // stop() was called
    bool ended_ = false;                    // the thread uses no other member any more

    std::atomic<bool> cancelled_{false};  // cancels a pending call to the store
    std::thread thread_;                  // last member, because it uses the others
};

}  // namespace helioray::detail
