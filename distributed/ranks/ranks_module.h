// SPDX-License-Identifier: MIT
// Interface to the code for several ranks. It does not use LibTorch itself, so that a program with
// one rank does not load LibTorch.
#pragma once

#include "distributed/ranks/discovery/rank_info.h"
#include "distributed/ranks/discovery/run_store.h"
#include "distributed/ranks/environment.h"
#include "kernels/core/device_integers.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helioray::detail {

class Channel;

/// Position of a rank on its host and the resources it uses.
struct RankResources {
    int local_rank = 0;  ///< index among the ranks of the host
    int local_size = 1;  ///< number of ranks on the host
    int threads = 1;     ///< number of threads on the CPU
    int cuda_index = 0;  ///< CUDA device, if the rank uses one
};

/// Makes a CUDA device current in the calling thread. Throws std::invalid_argument if it cannot be
/// used.
void use_gpu(int index);

/// The connected ranks of a run with several processes. Member functions throw DistributedError.
class ConnectedRanks {
  public:
    virtual ~ConnectedRanks() = default;

    /// Returns "gloo" or "nccl".
    virtual const std::string& backend() const noexcept = 0;
    /// Returns the resources of this rank.
    virtual const RankResources& resources() const noexcept = 0;
    /// Returns false after a failure or after close().
    virtual bool usable() const noexcept = 0;

    /// Returns the connections between all ranks.
    virtual std::shared_ptr<Channel> world_channel() const = 0;
    /// Checks that all ranks pass the same `text` and connects disjoint groups. Returns the
    /// connections of the group that contains this rank, or null if there is none or it has one
    /// rank.
    virtual std::shared_ptr<Channel> split(const std::string& name,
                                           const std::string& text,
                                           const std::vector<std::vector<int>>& groups) = 0;

    virtual void all_reduce_sum(std::span<std::int64_t> values) = 0;
    virtual void all_reduce_sum(std::span<double> values) = 0;
    /// Adds integers in the memory of CUDA devices; backend nccl only.
    virtual void all_reduce_sum(const kernels::DeviceIntegers& values) = 0;
    virtual std::vector<std::string> all_gather_strings(const std::string& mine) = 0;
    virtual void wait_for_all(const std::string& name,
                              const std::function<void()>& meanwhile,
                              std::span<std::int64_t> values) = 0;
    /// Returns the text of rank 0, for which the others wait without a time-out.
    virtual std::string wait_for_root(const std::string& name, const std::string& mine) = 0;
    virtual void barrier() = 0;

    virtual std::int64_t fetch_add(const std::string& counter, std::int64_t amount) = 0;
    virtual void remove_counter(const std::string& counter) = 0;
    virtual void check_peers() = 0;
    /// See DistributedEnvironment::watch_progress().
    virtual std::shared_ptr<const void> watch_progress(WatchedWork work) = 0;
    virtual std::optional<std::string> await_failure(std::chrono::milliseconds timeout) = 0;
    virtual void report_failure(const std::string& message) noexcept = 0;

    /// Closes the connections together with the other ranks.
    virtual void close(std::optional<std::chrono::milliseconds> timeout) = 0;
    /// Closes the connections without the other ranks, within seconds.
    virtual void abort() noexcept = 0;
};

/// Entry points of the module.
struct RanksModule {
    /// Connects all ranks; `info` describes this rank.
    std::unique_ptr<ConnectedRanks> (*connect)(const DistributedOptions& options, RankInfo info);
    /// Returns calls to torchrun's store.
    MakeLauncherStore make_launcher_store;
};

/// Returns the entry points of helioray::collectives if the program links it, else loads the module
/// helioray_ranks. Throws ModuleError if the module is missing.
const RanksModule& ranks_module();

}  // namespace helioray::detail
