// SPDX-License-Identifier: MIT
// The connected ranks of a run with more than one process.
#pragma once

#include "distributed/channel.h"
#include "distributed/environment.h"
#include "distributed/rank_info.h"
#include "distributed/peer_monitor.h"
#include "distributed/ranks_module.h"
#include "distributed/transport.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

/// All ranks, connected: their store, the watch over them, and the channels of their groups.
class World final : public ConnectedRanks {
  public:
    /// Connects. `hello` is this rank's card. Throws DistributedError; cleans up after itself then.
    World(const DistributedOptions& options, RankInfo info);
    /// abandon(), unless the world was closed.
    ~World() override;

    World(const World&) = delete;
    World& operator=(const World&) = delete;

    const std::string& backend() const noexcept override { return backend_; }
    const RankResources& place() const noexcept override { return resources_; }
    bool usable() const noexcept override { return !broken_ && !closed_; }

    std::shared_ptr<Channel> world_channel() const override { return channels_.front(); }
    std::shared_ptr<Channel> split(const std::string& name,
                                   const std::string& text,
                                   const std::vector<std::vector<int>>& groups) override;

    void all_reduce_sum(std::span<std::int64_t> values) override;
    void all_reduce_sum(std::span<double> values) override;
    void all_reduce_sum(const kernels::DeviceIntegers& values) override;
    std::vector<std::string> all_gather_strings(const std::string& mine) override;
    void barrier() override;

    std::int64_t fetch_add(const std::string& counter, std::int64_t amount) override;
    void check_peers() override;
    std::optional<std::string> await_failure(std::chrono::milliseconds patience) override;
    void report_failure(const std::string& message) noexcept override;

    void close() override;
    void abort() noexcept override;

    // For channels:

    /// Runs `call`; a transport that fails becomes a DistributedError that names the cause.
    template <typename Call>
    auto guarded(const std::string& operation, Call&& call);
    [[noreturn]] void fail(const std::string& message);
    /// The same for a connection that broke during `operation`, which began then, once the monitor
    /// had time to learn why.
    [[noreturn]] void fail_after(const TransportError& error,
                                 const std::string& operation,
                                 std::chrono::steady_clock::time_point begin);
    /// The run has failed for this reason on another rank.
    [[noreturn]] void fail_because(const std::string& cause);
    void require_usable() const;
    /// Called repeatedly in every wait.
    void wait_callback();
    /// "rank 1 on host x (pid 42)".
    std::string name_of_rank(int rank) const { return describe_rank(rank, infos_[rank]); }

  private:
    void MEET(RankInfo mine);
    void connect();
    /// Connects the group of the world's ranks `ranks`, of which this process is one. Collective
    /// over these; `name` identifies the group and must be new. Throws DistributedError.
    std::shared_ptr<Channel> open_channel(const std::string& name, std::vector<int> ranks);
    /// All ranks, for collectives on tensors of the host and of this rank's device.
    ProcessGroup all_ranks_group() const;
    void open();
    std::string choose_own_address() const;
    std::chrono::milliseconds heartbeat_timeout() const {
        return std::min(options_.heartbeat_timeout, options_.timeout);
    }
    std::string store_address() const;

    const DistributedOptions options_;
    const int rank_;
    const int size_;
    const int generation_;
    std::string name_;  // "rank 1 on host x (pid 42)"
    std::vector<RankInfo> infos_;
    RankResources resources_;
    /// A group that was left while it connected may still ask the store, on a thread of its own:
    /// once this world has given up, such a call must not look up here.
    struct Gate {
        std::recursive_mutex mutex;
        bool open = true;
    };
    const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
    OpenedStore opened_;
    std::optional<Store> store_;
    std::unique_ptr<PeerMonitor> monitor_;
    std::unique_ptr<Rendezvous> rendezvous_;  // of start and end
    std::vector<std::shared_ptr<Channel>> channels_;
    std::string address_;            // to talk from; empty: LibTorch's choice
    std::optional<int> nccl_index_;  // CUDA device of NCCL groups, where NCCL is the backend
    std::string backend_ = "gloo";
    std::atomic<bool> broken_{false};  // also set by the thread that watches the run
    std::atomic<bool> closed_{false};
};

template <typename Call>
auto World::guarded(const std::string& operation, Call&& call) {
    const auto begin = std::chrono::steady_clock::now();
    try {
        return call();
    } catch (const RunFailed& failure) {
        fail_because(failure.what());
    } catch (const TransportError& error) {
        fail_after(error, operation, begin);
    }
}

}  // namespace helioray::detail
