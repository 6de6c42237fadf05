// SPDX-License-Identifier: MIT
// DistributedEnvironment: one object for "which rank am I, and how do ranks talk", serial or
// parallel.
#pragma once

#include "distributed/launcher.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace helioray {

/// What a DistributedEnvironment is made from.
struct DistributedOptions {
    enum class Backend { automatic, nccl, gloo };
    Backend backend = Backend::automatic;  ///< automatic: nccl where every rank has a CUDA device
                                           ///< of its own, else gloo
    bool use_cuda = false;                 ///< this rank computes on a CUDA device
    std::optional<int> cuda_index;  ///< nothing: local rank modulo the number of visible devices
    std::chrono::milliseconds timeout{300'000};  ///< of start-up and of every collective
    std::string configuration_hash;  ///< compared between ranks at start-up; may be empty
    LaunchInfo launch;               ///< from detect_launcher()
    /// Without a sign of life before a rank counts as gone or hanging (one of this machine that
    /// ends: at once).
    std::chrono::milliseconds silence_limit{15'000};
};

/// RAII scope of a parallel run. World size 1 needs no network: no socket, no store, every
/// collective is a no-op. Two environments may follow each other in one process. Collectives must
/// be called in the same order on every rank.
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

    int rank() const noexcept;
    int world_size() const noexcept;
    int local_rank() const noexcept;
    bool is_root() const noexcept { return rank() == 0; }
    const LaunchInfo& launch() const noexcept;
    /// "none" at world size 1, else "gloo" or "nccl".
    std::string backend_name() const;
    /// "cpu" or "cuda:<index>".
    std::string device_name() const;

    /// In-place SUM over all ranks. tensor: dense, contiguous, int64/int32/float64/float32, on this
    /// environment's device (a CPU tensor is always accepted), of the same type and shape on every
    /// rank. Integer sums are exact. Not differentiable: a tensor that requires a gradient is
    /// refused while gradients are recorded. Throws std::invalid_argument for a tensor that does
    /// not fit, DistributedError when the ranks' tensors differ and, naming the first cause, when a
    /// rank has failed.
    void all_reduce_sum(at::Tensor& tensor);

    /// In-place copy of root's tensor to all ranks. tensor: as for all_reduce_sum, or uint8.
    void broadcast(at::Tensor& tensor, int root = 0);

    /// Strings of all ranks, by rank, on every rank.
    std::vector<std::string> all_gather_strings(const std::string& mine);

    /// Waits for all ranks; throws DistributedError naming the missing ranks on time-out.
    void barrier();

    /// Throws DistributedError when a rank is known to have failed or to be gone. Cheap (no
    /// network): call it between work units, so that ranks that compute for long notice within
    /// seconds.
    void check_peers();

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

}  // namespace helioray
