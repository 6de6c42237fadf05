// SPDX-License-Identifier: MIT
// Background thread that sends heartbeats to the store and learns of failures of other ranks.
#pragma once

#include "distributed/ranks/environment.h"
#include "distributed/ranks/watched_work.h"
#include "distributed/store/client.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
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
    /// Time without progress after which a rank with watched work hangs.
    std::chrono::milliseconds progress_timeout{300'000};
    /// Called once, by the thread, if the rank does not notice a failure within `grace`.
    std::function<void(const std::string& cause)> stuck;
    std::chrono::milliseconds grace{8'000};
};

/// Returns the time without heartbeats after which a rank is lost.
std::chrono::milliseconds heartbeat_timeout(const DistributedOptions& options);

/// Returns the options that follow from those of the environment: all but `store` and `server`.
MonitorOptions monitor_options(const DistributedOptions& options);

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
    /// Reports the progress of `work` in heartbeats until the returned object is destroyed.
    std::shared_ptr<const void> watch(WatchedWork work);
    /// Counts as progress that this rank has completed a call to the others or still waits in one.
    void count_call() { ++calls_; }
    /// This rank has noticed the failure of the run, so `stuck` is not called any more.
    void notice_failure();
    /// Closes the rank's membership of the run unless the run has failed, and ends the thread.
    void stop();

  private:
    void run();
    ReportedProgress measure_progress();

    const MonitorOptions options_;
    StoreClient client_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    // Guarded by mutex_:
    std::optional<std::string> cause_;      // first known cause of a failure
    std::optional<std::string> to_report_;  // cause that the thread must publish
    bool stopping_ = false;                 // stop() was called
    bool ended_ = false;                    // the thread uses no other member any more
    bool noticed_ = false;                  // notice_failure() was called

    std::atomic<std::uint64_t> calls_{0};
    std::mutex work_mutex_;
    // Guarded by work_mutex_:
    std::list<WatchedWork> work_;  // the last one is reported
    std::uint64_t last_value_ = 0;

    std::atomic<bool> cancelled_{false};  // cancels a pending call to the store
    std::thread thread_;                  // last member, because it uses the others
};

}  // namespace helioray::detail
