// SPDX-License-Identifier: MIT
// The connected ranks of a run with several processes.
#pragma once

#include "distributed/ranks/discovery/rank_info.h"
#include "distributed/ranks/environment.h"
#include "distributed/ranks/peer_monitor.h"
#include "distributed/ranks/ranks_module.h"
#include "distributed/tensors/channel.h"
#include "distributed/tensors/transport.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helioray::detail {

/// The connected ranks of a run: the store, the monitor that sends heartbeats, and the channels of
/// the groups.
class World final : public ConnectedRanks {
  public:
    /// Connects all ranks; `info` describes this rank. Throws DistributedError.
    World(const DistributedOptions& options, RankInfo info);
    /// Calls abort() unless the world is closed.
    ~World() override;

    World(const World&) = delete;
    World& operator=(const World&) = delete;

    const std::string& backend() const noexcept override { return backend_; }
    const RankResources& resources() const noexcept override { return resources_; }
    bool usable() const noexcept override { return !broken_ && !closed_; }

    std::shared_ptr<Channel> world_channel() const override { return channels_.front(); }
    std::shared_ptr<Channel> split(const std::string& name,
                                   const std::string& text,
                                   const std::vector<std::vector<int>>& groups) override;

    void all_reduce_sum(std::span<std::int64_t> values) override;
    void all_reduce_sum(std::span<double> values) override;
    void all_reduce_sum(const kernels::DeviceIntegers& values) override;
    std::vector<std::string> all_gather_strings(const std::string& mine) override;
    void wait_for_all(const std::string& name,
                      const std::function<void()>& meanwhile,
                      std::span<std::int64_t> values) override;
    std::string wait_for_root(const std::string& name, const std::string& mine) override;
    void barrier() override;

    std::int64_t fetch_add(const std::string& counter, std::int64_t amount) override;
    void remove_counter(const std::string& counter) override;
    void check_peers() override;
    std::shared_ptr<const void> watch_progress(WatchedWork work) override;
    std::optional<std::string> await_failure(std::chrono::milliseconds timeout) override;
    void report_failure(const std::string& message) noexcept override;

    void close(std::optional<std::chrono::milliseconds> timeout) override;
    void abort() noexcept override;

    // Functions for channels:

    /// Runs `call` and converts a TransportError to a DistributedError that names the cause.
    template <typename Call>
    auto run_guarded(const std::string& operation, Call&& call);
    /// Publishes this failure and throws DistributedError with the first known cause.
    [[noreturn]] void fail(const std::string& message);
    /// Handles an error of `operation`, which started at `begin`: waits for the monitor to learn
    /// the cause, then fails with the cause or the error.
    [[noreturn]] void fail_with_error(const TransportError& error,
                                      const std::string& operation,
                                      std::chrono::steady_clock::time_point begin);
    /// Throws DistributedError for a failure that another rank has published.
    [[noreturn]] void fail_with_cause(const std::string& cause);
    /// Throws DistributedError after a failure or after close().
    void require_usable() const;
    /// Called repeatedly during every wait: calls the user's callback, checks for failures of other
    /// ranks and starts to receive announced messages. Cancels the wait by throwing.
    void poll();
    /// Returns the name of a rank for messages: "rank 1 on host x (pid 42)".
    std::string get_rank_name(int rank) const { return describe_rank(rank, infos_[rank]); }

  private:
    /// Opens the store and exchanges the RankInfo of all ranks.
    void discover(RankInfo mine);
    /// Starts the monitor and connects the group of all ranks.
    void connect();
    /// Connects a group of the world ranks `ranks`, which contain this one. Collective over these
    /// ranks; `name` must be unique. Throws DistributedError.
    std::shared_ptr<Channel> open_channel(const std::string& name, std::vector<int> ranks);
    /// Returns the group of all ranks for collectives on host and device tensors.
    ProcessGroup all_ranks_group() const;
    /// Serves the store if this is its rank, and connects to it.
    void open_store_connection();
    /// Returns the local address at which other ranks can connect to this one; empty if LibTorch
    /// shall choose it.
    std::string choose_own_address() const;

    const DistributedOptions options_;
    const int rank_;
    const int size_;
    const int generation_;
    std::string name_;  // "rank 1 on host x (pid 42)"
    std::vector<RankInfo> infos_;
    RankResources resources_;
    /// If connecting a group was cancelled, its background thread may still use the store and call
    /// the wait callback. The gate is closed by abort(), after which the callback no longer uses
    /// this object.
    struct Gate {
        std::recursive_mutex mutex;
        bool open = true;
    };
    const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
    OpenedStore opened_;
    std::optional<Store> store_;
    std::unique_ptr<PeerMonitor> monitor_;
    std::unique_ptr<Rendezvous> rendezvous_;  // at the start, in wait_for_all() and in close()
    std::function<void()> meanwhile_;         // set in wait_for_all(), empty at other times
    std::vector<std::shared_ptr<Channel>> channels_;
    std::string address_;            // local address of connections; empty if LibTorch chooses it
    std::optional<int> nccl_index_;  // CUDA device of NCCL groups, if NCCL is the backend
    std::string backend_ = "gloo";
    std::atomic<bool> broken_{false};  // set after a failure
    std::atomic<bool> closed_{false};
};

template <typename Call>
auto World::run_guarded(const std::string& operation, Call&& call) {
    const auto begin = std::chrono::steady_clock::now();
    try {
        struct CallScope {
            const World& world;
            ~CallScope() {
                if (world.monitor_) world.monitor_->count_call();
            }
        } scope{*this};
        return call();
    } catch (const RunFailed& failure) {
        fail_with_cause(failure.what());
    } catch (const TransportError& error) {
        fail_with_error(error, operation, begin);
    }
}

}  // namespace helioray::detail
