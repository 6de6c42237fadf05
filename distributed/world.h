// SPDX-License-Identifier: MIT
// The connected ranks of a run with more than one process.
#pragma once

#include "distributed/environment.h"
#include "distributed/hello.h"
#include "distributed/peer_monitor.h"
#include "distributed/transport.h"

#include <memory>
#include <string>
#include <vector>

namespace helioray::detail {

/// All ranks, connected. Before every collective the ranks meet in the store and say what they are
/// about to do; only when all are there and agree does data move. So a missing rank has a name, a
/// wrong shape is an error instead of the end of the process, and no operation is ever left waiting
/// for a rank that failed earlier.
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

    void all_reduce_sum(at::Tensor& tensor);
    void broadcast(at::Tensor& tensor, int root);
    std::vector<std::string> all_gather_strings(const std::string& mine);
    void barrier();
    std::int64_t fetch_add(const std::string& counter, std::int64_t amount);
    void check_peers();
    void report_failure(const std::string& message) noexcept;

    /// Orderly end on all ranks. Throws DistributedError.
    void close();
    /// End without the others, within seconds.
    void abandon() noexcept;

    bool usable() const noexcept { return !broken_ && !closed_; }

  private:
    void meet(Hello mine);
    void connect(int cuda_index);
    std::vector<std::string> arrive(const std::string& operation, const std::string& payload = {});
    void move_data(const std::string& operation, at::Tensor& tensor, int root);
    /// Runs `call`; a transport that fails becomes a DistributedError that names the cause.
    template <typename Call>
    auto guarded(const std::string& operation, Call&& call);
    [[noreturn]] void fail(const std::string& message);
    void require_usable() const;
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
    std::unique_ptr<Group> host_group_;  // Gloo, always
    std::unique_ptr<Group> cuda_group_;  // NCCL, where it is the backend
    std::string backend_ = "gloo";
    std::int64_t sequence_ = 0;
    bool broken_ = false;
    bool closed_ = false;
};

template <typename Call>
auto World::guarded(const std::string& operation, Call&& call) {
    try {
        return call();
    } catch (const TransportError& error) {
        // A broken connection is an effect; give the monitor time to learn its cause.
        if (monitor_) monitor_->await_cause(std::chrono::milliseconds(2000));
        fail(operation + " failed: " + error.what());
    }
}

}  // namespace helioray::detail
