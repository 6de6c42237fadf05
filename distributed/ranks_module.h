// SPDX-License-Identifier: MIT
// The services of LibTorch for several ranks, behind an interface without LibTorch: a program of
// one rank never loads it.
#pragma once

#include "distributed/environment.h"
#include "distributed/rank_info.h"
#include "kernels/core/device_integers.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helioray::detail {

class Channel;

/// What a rank makes of its host.
struct RankResources {
    int local_rank = 0;
    int local_size = 1;
    int threads = 1;
    int cuda_index = 0;
};

/// Makes a CUDA device this thread's current one. Throws std::invalid_argument where it cannot be
/// used.
void use_gpu(int index);

/// The connected ranks of a run with more than one process. Members throw DistributedError.
class ConnectedRanks {
  public:
    virtual ~ConnectedRanks() = default;

    /// "gloo" or "nccl".
    virtual const std::string& backend() const noexcept = 0;
    /// Of this rank, among the ranks of its host.
    virtual const RankResources& resources() const noexcept = 0;
    /// False once it has failed or was closed.
    virtual bool usable() const noexcept = 0;

    /// Connections of all ranks.
    virtual std::shared_ptr<Channel> world_channel() const = 0;
    /// Connects groups side by side, after all ranks have said the same `text`; returns the
    /// connections of the one this rank is in, nothing where it is in none or alone in one.
    virtual std::shared_ptr<Channel> split(const std::string& name,
                                           const std::string& text,
                                           const std::vector<std::vector<int>>& groups) = 0;

    virtual void all_reduce_sum(std::span<std::int64_t> values) = 0;
    virtual void all_reduce_sum(std::span<double> values) = 0;
    /// On this rank's device; where the backend is nccl.
    virtual void all_reduce_sum(const kernels::DeviceIntegers& values) = 0;
    virtual std::vector<std::string> all_gather_strings(const std::string& mine) = 0;
    virtual void barrier() = 0;

    virtual std::int64_t fetch_add(const std::string& counter, std::int64_t amount) = 0;
    virtual void check_peers() = 0;
    virtual std::optional<std::string> await_failure(std::chrono::milliseconds patience) = 0;
    virtual void report_failure(const std::string& message) noexcept = 0;

    /// Orderly end on all ranks.
    virtual void close() = 0;
    /// End without the others, within seconds.
    virtual void abort() noexcept = 0;
};

/// Entries of the module.
struct RanksModule {
    /// Connects; `hello` is this rank's card.
    std::unique_ptr<ConnectedRanks> (*connect)(const DistributedOptions& options, RankInfo info);
};

/// That of helioray::collectives where it is linked in, else of the module helioray_ranks, which is
/// loaded now. Throws ModuleError where it is missing.
const RanksModule& ranks_module();

}  // namespace helioray::detail
