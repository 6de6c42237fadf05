// SPDX-License-Identifier: MIT
// DistributedEnvironment: one object for "which rank am I, and how do ranks talk", serial or
// parallel.
#pragma once

#include "distributed/launcher.h"
#include "distributed/process_group.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace helioray {

namespace kernels {
struct DeviceIntegers;
}

/// What a DistributedEnvironment is made from.
struct DistributedOptions {
    /// automatic: nccl where every rank has a CUDA device of its own, else gloo.
    enum class Backend { automatic, nccl, gloo };
    Backend backend = Backend::automatic;  ///< of collectives on tensors
    bool use_cuda = false;                 ///< this rank computes on a CUDA device
    std::optional<int> cuda_index;  ///< nothing: local rank modulo the number of visible devices
    /// Of start-up and of every collective.
    std::chrono::milliseconds timeout = std::chrono::seconds(300);
    /// Settings, by name, that must be the same on every rank. They are compared at start-up by
    /// their hash; where that differs, the message names the settings and their values.
    std::map<std::string, std::string> configuration;
    /// Why this rank cannot take part. Where any rank of several has a problem, the constructor
    /// throws RanksNotReady on all of them, and compares nothing else. Empty: it can.
    std::string problem;
    LaunchInfo launch;  ///< from detect_launcher()
    /// Without a sign of life before a rank counts as gone or hanging (one of this machine that
    /// ends: at once). No longer than `timeout`.
    std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds(15);
    /// Called about twenty times a second in every wait, from the start on; leaves it by throwing.
    std::function<void()> wait_callback;
    /// Ranks agree on type and shape before every collective, so that a difference is an error
    /// and a missing rank has a name. Off: saves a few store round trips per call, and a difference
    /// ends or hangs the processes.
    bool check_calls = true;
};

/// RAII scope of a parallel run. World size 1 needs no network: no socket, no store, every
/// collective is a no-op, and LibTorch is not loaded. Two environments may follow each other in one
/// process. Collectives must be called in the same order on every rank.
class DistributedEnvironment {
  public:
    /// Connects all ranks. Throws InputError-like std::invalid_argument for impossible settings and
    /// DistributedError when ranks cannot be joined within the time-out or disagree.
    explicit DistributedEnvironment(DistributedOptions options);

    /// Orderly shutdown on the healthy path, fast abort while an exception is unwinding. Never
    /// throws.
    ~DistributedEnvironment();

    DistributedEnvironment(const DistributedEnvironment&) = delete;
    DistributedEnvironment& operator=(const DistributedEnvironment&) = delete;

    int rank() const noexcept;        ///< of this process, 0 to world_size() - 1
    int world_size() const noexcept;  ///< number of ranks
    /// Among the ranks of this host, from 0: those with the same host name on the same machine,
    /// as the ranks have told each other, whatever the launcher says.
    int local_rank() const noexcept;
    int local_size() const noexcept;  ///< ranks of this host
    /// Threads that keep this rank's part of its host's processor cores busy, at least 1: the cores
    /// that affinity and control group grant it, divided between the ranks that share them.
    int threads() const noexcept;
    bool is_root() const noexcept { return rank() == 0; }  ///< the rank that writes and prints
    const LaunchInfo& launch() const noexcept;             ///< the launch that it was made from
    /// "none" at world size 1, else "gloo" or "nccl".
    std::string backend_name() const;
    /// "cpu" or "cuda:<index>".
    std::string device_name() const;

    /// All ranks, for the collectives of collectives.h, point_to_point.h, differentiable/objects.h,
    /// ...
    const ProcessGroup& world() const noexcept;

    /// Connects groups of ranks side by side and returns the one this rank is in, nothing where it
    /// is in none. Collective over all ranks, which compare name and groups. No rank is in two
    /// groups of one call, and every name is used once in an environment; Groups keeps them by
    /// name. Throws std::invalid_argument for impossible groups, DistributedError when ranks
    /// disagree or fail.
    std::optional<ProcessGroup> split(const std::string& name,
                                      const std::vector<std::vector<int>>& groups);

    /// In-place sum over all ranks, of as many values on each. Exact for integers; sums of
    /// floating-point numbers depend, in their last bits, on the number of ranks.
    void all_reduce_sum(std::span<std::int64_t> values);
    /// The same.
    void all_reduce_sum(std::span<double> values);

    /// Whether sums in the memory of CUDA devices are added up there: by NCCL, between ranks that
    /// each have a device of their own.
    bool reduces_on_device() const noexcept;
    /// In-place sum over all ranks of integers on this rank's device, of as many on each. Throws
    /// std::logic_error unless reduces_on_device().
    void all_reduce_sum(const kernels::DeviceIntegers& values);

    /// In-place sum over all ranks: all_reduce of collectives.h (link helioray::collectives).
    void all_reduce_sum(at::Tensor& tensor);

    /// In-place copy of root's tensor to all ranks: broadcast of collectives.h (link
    /// helioray::collectives).
    void broadcast(at::Tensor& tensor, int root = 0);

    /// Strings of all ranks, by rank, on every rank.
    std::vector<std::string> all_gather_strings(const std::string& mine);

    /// Waits for all ranks; throws DistributedError naming the missing ranks on time-out.
    void barrier();

    /// Throws DistributedError when a rank is known to have failed or to be gone. Cheap (no
    /// network): call it between work units, so that ranks that compute for long notice within
    /// seconds.
    void check_peers();

    /// The first failure of a rank that is known, waiting up to `patience` for one to become known.
    /// For a rank that is about to fail, and asks whether that is an effect of another's failure.
    std::optional<std::string> await_failure(std::chrono::milliseconds patience);

    /// Adds `amount` to a counter that all ranks share and that starts at 0; returns its value
    /// before. For work drawn by ranks as they become free. Not a collective.
    std::int64_t fetch_add(const std::string& counter, std::int64_t amount = 1);

    /// Tells the other ranks why this one fails, so that they can print the first cause; never
    /// throws, never blocks long. The environment is of no more use afterwards. To be called inside
    /// its scope: a scope left by an exception without it only says that the rank failed.
    void report_failure(const std::string& message) noexcept;

    /// Orderly shutdown that may throw; later calls and the destructor do nothing more.
    void close();

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// A failure of, or between, ranks. The message names the ranks and the first cause known.
class DistributedError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// At least one rank could not get ready; see DistributedOptions::problem.
class RanksNotReady : public DistributedError {
  public:
    /// By rank; empty where a rank was ready.
    explicit RanksNotReady(std::vector<std::string> problems);
    const std::vector<std::string>& problems() const noexcept { return problems_; }  ///< by rank

  private:
    std::vector<std::string> problems_;
};

}  // namespace helioray
