// SPDX-License-Identifier: MIT
// The connected ranks of a run with more than one process.
#pragma once

#include "distributed/channel.h"
#include "distributed/environment.h"
#include "distributed/hello.h"
#include "distributed/meeting.h"
#include "distributed/peer_monitor.h"
#include "distributed/transport.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

/// All ranks, connected: their store, the watch over them, and the channels of their groups.
class World {
  public:
    /// Connects. `hello` is this rank's card. Throws DistributedError; cleans up after itself then.
    World(const DistributedOptions& options, Hello hello, int cuda_index);
    /// abandon(), unless the world was closed.
    ~World();

    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// "gloo" or "nccl".
    const std::string& backend() const noexcept { return backend_; }

    /// Connects the group of the world's ranks `ranks`, of which this process is one. Collective
    /// over these; `name` tells groups apart and is new. Throws DistributedError.
    std::shared_ptr<Channel> open_channel(const std::string& name, std::vector<int> ranks);
    /// That of all ranks.
    const std::shared_ptr<Channel>& channel() const { return channels_.front(); }

    std::int64_t fetch_add(const std::string& counter, std::int64_t amount);
    void check_peers();
    void report_failure(const std::string& message) noexcept;

    /// Orderly end on all ranks. Throws DistributedError.
    void close();
    /// End without the others, within seconds.
    void abandon() noexcept;

    bool usable() const noexcept { return !broken_ && !closed_; }

    // For channels:

    /// Runs `call`; a transport that fails becomes a DistributedError that names the cause.
    template <typename Call>
    auto guarded(const std::string& operation, Call&& call);
    [[noreturn]] void fail(const std::string& message);
    /// The same for a connection that broke during `operation`, once the monitor had time to learn
    /// why.
    [[noreturn]] void fail_after(const TransportError& error, const std::string& operation);
    void require_usable() const;
    /// What is to be done again and again in every wait.
    void while_waiting();
    /// "rank 1 on host x (pid 42)".
    std::string name_of_rank(int rank) const { return name_of(rank, hellos_[rank]); }

  private:
    void meet(Hello mine);
    void connect(int cuda_index);
    void wait_for_keys(const std::vector<std::string>& keys,
                       std::chrono::milliseconds patience) noexcept;
    std::string store_name() const;
    std::string store_address() const;
    bool rank_zero_serves() const;

    const DistributedOptions options_;
    const int rank_;
    const int size_;
    const bool serves_store_;
    std::vector<Hello> hellos_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<PeerMonitor> monitor_;
    std::unique_ptr<Meeting> meeting_;  // of start and end
    std::vector<std::shared_ptr<Channel>> channels_;
    std::string address_;            // to talk from; empty: LibTorch's choice
    std::optional<int> nccl_index_;  // CUDA device of NCCL groups, where NCCL is the backend
    std::string backend_ = "gloo";
    bool broken_ = false;
    bool closed_ = false;
};

template <typename Call>
auto World::guarded(const std::string& operation, Call&& call) {
    try {
        return call();
    } catch (const TransportError& error) {
        fail_after(error, operation);
    }
}

}  // namespace helioray::detail
