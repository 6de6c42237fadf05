// SPDX-License-Identifier: MIT
// Background watch over the other ranks: who failed first, and who is gone.
#pragma once

#include "distributed/transport.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace helioray::detail {

/// A rank as the monitor needs to know it.
struct Peer {
    std::string name;   ///< "rank 1 on host x (pid 42)"
    int watch_pid = 0;  ///< process id where it can be watched from here, else 0
};

struct MonitorOptions {
    int rank = 0;
    std::vector<Peer> peers;       ///< by rank, this one included
    std::string store_name;        ///< "its store at host:port" for messages
    bool serves_store = false;     ///< this process hosts the store: leaves after the others know
    bool rank_zero_serves = true;  ///< a store that is gone means that rank 0 is gone
    std::chrono::milliseconds interval{250};  ///< between two looks
    std::chrono::milliseconds silence_limit{
        15'000};  ///< without a heartbeat before a rank counts as gone
};

/// A thread with a store connection of its own. Ranks of this machine are watched through the
/// kernel (a process that ends is noticed at once, whether it computes or not); all ranks, those of
/// other machines and those that were stopped, by heartbeats in the store: rank 0 watches all, all
/// watch rank 0, so that traffic grows with the number of ranks only. The first failure found or
/// reported is written to the store once and is the cause that every rank names.
class PeerMonitor {
  public:
    PeerMonitor(Store connection, MonitorOptions options);
    /// stop(), bounded.
    ~PeerMonitor();

    PeerMonitor(const PeerMonitor&) = delete;
    PeerMonitor& operator=(const PeerMonitor&) = delete;

    /// The first cause of failure known, if any. Cheap.
    std::optional<std::string> cause() const;

    /// cause() after a failure, waiting up to `patience` for one to become known. A store that does
    /// not answer for so long is one.
    std::optional<std::string> await_cause(std::chrono::milliseconds patience) const;

    /// Publishes `cause` unless another came first. Returns when done, at the latest after
    /// `patience`.
    void report(const std::string& cause, std::chrono::milliseconds patience);

    /// Ends the watch. After a failure the process that serves the store first gives the others up
    /// to `patience` to learn the cause.
    void stop(std::chrono::milliseconds patience = std::chrono::milliseconds(3000));

    /// Key that a rank sets when it leaves in good order.
    static std::string bye_key(int rank) { return "bye/" + std::to_string(rank); }

  private:
    struct State;
    std::shared_ptr<State> state_;
    std::thread thread_;
};

}  // namespace helioray::detail
