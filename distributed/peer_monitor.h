// SPDX-License-Identifier: MIT
// Background watch over the run: signs of life to the store, and the first failure from it.
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

/// What a PeerMonitor is made from.
struct MonitorOptions {
    StoreClientOptions store;  ///< the way to the store; `watches` is set here
    std::string server;        ///< who serves it, "rank 0 on host x (pid 42)", for messages
    std::chrono::milliseconds interval{500};  ///< between two signs of life
    /// Without an answer before the server counts as hanging.
    std::chrono::milliseconds heartbeat_timeout{15'000};
};

/// A thread with a connection of its own, whose end is the end of this rank for the others. One
/// call per interval, however many ranks there are.
class PeerMonitor {
  public:
    /// Connects. Throws TransportError.
    explicit PeerMonitor(MonitorOptions options, const WaitCallback& wait_callback = {});
    /// stop().
    ~PeerMonitor();

    PeerMonitor(const PeerMonitor&) = delete;
    PeerMonitor& operator=(const PeerMonitor&) = delete;

    /// The first cause of failure known, if any. Cheap.
    std::optional<std::string> cause() const;
    /// The same after a failure, waiting up to `patience` for one to become known.
    std::optional<std::string> await_cause(std::chrono::milliseconds patience) const;
    /// The store has said it on another connection.
    void set_cause(const std::string& cause);
    /// Publishes `cause` unless another came first. Returns when done, at the latest after
    /// `patience`.
    void report(const std::string& cause, std::chrono::milliseconds patience);
    /// Says goodbye unless the run has failed, and ends the watch.
    void stop();

  private:
    void run();

    const MonitorOptions options_;
    StoreClient client_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::optional<std::string> cause_;      // guarded by mutex_
    std::optional<std::string> to_report_;  // likewise
    bool stopping_ = false;                 // likewise
    bool ended_ = false;                    // likewise; the thread needs nothing more
    std::atomic<bool> cancelled_{false};        // calls under way are left
    std::thread thread_;                    // the last member: it uses the others
};

}  // namespace helioray::detail
