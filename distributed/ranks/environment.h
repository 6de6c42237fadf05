// SPDX-License-Identifier: MIT
// DistributedEnvironment: the ranks of a run and the connections between them, for one process or
// several.
#pragma once

#include "distributed/launch/launcher.h"
#include "distributed/ranks/process_group.h"
#include "distributed/ranks/watched_work.h"

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

/// Options of a DistributedEnvironment.
struct DistributedOptions {
    /// `automatic` selects nccl if every rank has a separate CUDA device, else gloo.
    enum class Backend { automatic, nccl, gloo };
    Backend backend = Backend::automatic;  ///< backend of collectives on tensors
    bool use_cuda = false;                 ///< this rank computes on a CUDA device
    /// CUDA devices that may be used, each once; empty: all that this process sees. A single rank
    /// uses all of them, one of several ranks the device at its local rank modulo their number.
    std::vector<int> cuda_devices;
    /// Longest duration of the start-up and of every collective.
    std::chrono::milliseconds timeout = std::chrono::seconds(300);
    /// Settings, by name, that must be the same on every rank. Their hashes are compared at
    /// start-up. If they differ, the error message names the settings and their values.
    std::map<std::string, std::string> configuration;
    /// Reason why this rank cannot take part; empty if it can. If any rank has a problem, the
    /// constructor throws RanksNotReady on all ranks and compares nothing else.
    std::string problem;
    LaunchInfo launch;  ///< rank, size and store address from detect_launcher()
    /// Time without a heartbeat after which a rank counts as failed. At most `timeout`. A rank
    /// whose connection closes counts as failed at once.
    std::chrono::milliseconds heartbeat_timeout = std::chrono::seconds(15);
    /// Called about twenty times a second during every wait, including the start-up. It cancels the
    /// wait by throwing.
    std::function<void()> wait_callback;
    /// Called once, by an internal thread, if the calling thread does not notice a failure of the
    /// run within eight seconds or half of `timeout`, if that is shorter, because it hangs. The
    /// program may exit.
    std::function<void(const std::string& cause)> stuck;
    /// If true, the ranks compare type and shape before every collective: a difference is an error,
    /// and missing ranks are named. If false, each call saves one round trip to the store, but a
    /// difference crashes or blocks the processes.
    bool check_calls = true;
};

/// RAII scope of a parallel run. With one rank, no network is used, every collective is a no-op,
/// and LibTorch is not loaded. A process may create several environments, one after the other.
/// Collectives must be called in the same order on every rank.
class DistributedEnvironment {
  public:
    /// Connects all ranks. Throws std::invalid_argument for impossible options and DistributedError
    /// if the ranks cannot connect within the time-out or have different settings.
    explicit DistributedEnvironment(DistributedOptions options);

    /// Closes the environment; aborts it while an exception unwinds the stack or after a failure.
    /// Never throws.
    ~DistributedEnvironment();

    DistributedEnvironment(const DistributedEnvironment&) = delete;
    DistributedEnvironment& operator=(const DistributedEnvironment&) = delete;

    int rank() const noexcept;        ///< rank of this process, 0 to world_size() - 1
    int world_size() const noexcept;  ///< number of ranks
    /// Returns the index of this rank among the ranks of its host, from 0. It follows from the host
    /// names and boot ids of the ranks, not from launcher variables.
    int local_rank() const noexcept;
    int local_size() const noexcept;  ///< number of ranks on this host
    /// Returns the number of threads for this rank, at least 1: the processor cores that affinity
    /// and control group grant it, divided between the ranks that share them.
    int threads() const noexcept;
    bool is_root() const noexcept { return rank() == 0; }  ///< true on the rank that writes results
    const LaunchInfo& launch() const noexcept;             ///< launch that the options contained
    /// Returns "none" for one rank, else "gloo" or "nccl".
    std::string backend_name() const;
    /// Returns the CUDA devices of this rank: one if there are several ranks; empty: the CPU.
    std::vector<int> cuda_devices() const;
    /// Returns "cpu" or the names of the devices: "cuda:0", "cuda:0,1".
    std::string device_name() const;

    /// Returns the group of all ranks, for the functions of collectives.h, point_to_point.h and
    /// differentiable/.
    const ProcessGroup& world() const noexcept;

    /// Connects disjoint groups of ranks and returns the one that contains this rank, or nothing if
    /// none does. Collective over all ranks, which compare name and groups. Every name can be used
    /// once in an environment; class Groups stores groups by name. Throws std::invalid_argument for
    /// impossible groups and DistributedError if the calls of the ranks differ or a rank fails.
    std::optional<ProcessGroup> split(const std::string& name,
                                      const std::vector<std::vector<int>>& groups);

    /// Adds the values of all ranks, in place. Every rank passes the same number of values. Integer
    /// sums are exact; the last bits of floating-point sums depend on the number of ranks.
    void all_reduce_sum(std::span<std::int64_t> values);
    /// Adds floating-point values of all ranks, in place.
    void all_reduce_sum(std::span<double> values);

    /// Returns true if NCCL is the backend, so that values in the memory of CUDA devices can be
    /// added without copies to the host.
    bool reduces_on_device() const noexcept;
    /// Adds integers in the memory of the ranks' CUDA devices, in place. Every rank passes the same
    /// number. Throws std::logic_error unless reduces_on_device().
    void all_reduce_sum(const kernels::DeviceIntegers& values);

    /// Adds the tensors of all ranks, in place; see all_reduce() in collectives.h. Needs
    /// helioray::collectives.
    void all_reduce_sum(at::Tensor& tensor);

    /// Copies the root's tensor to all ranks, in place; see broadcast() in collectives.h. Needs
    /// helioray::collectives.
    void broadcast(at::Tensor& tensor, int root = 0);

    /// Returns the texts of all ranks, indexed by rank, on every rank.
    std::vector<std::string> all_gather_strings(const std::string& mine);

    /// Waits until all ranks have called this function, without a time-out: ranks that work may
    /// take any time. A rank that is lost, or makes no progress in watched work, ends the wait.
    /// `name` is the same on every rank. Calls `meanwhile` about twenty times a second. Then adds
    /// `values` of all ranks, in place, as all_reduce_sum() does; for few values, waiting and
    /// adding take one call to the store.
    void wait_for_all(const std::string& name,
                      const std::function<void()>& meanwhile,
                      std::span<std::int64_t> values = {});

    /// Returns the text of rank 0 on every rank. The other ranks may pass any text. Waits without a
    /// time-out, as wait_for_all() does: rank 0 may work before it calls this function. No rank
    /// returns before all ranks have called it. `name` is the same on every rank.
    std::string wait_for_root(const std::string& name, const std::string& mine);

    /// Waits for all ranks. Throws DistributedError that names the missing ranks after the
    /// time-out.
    void barrier();

    /// Throws DistributedError if a failure of a rank is known. Uses no network, so it is cheap:
    /// call it between work units, so that a rank notices failures also during long computations.
    void check_peers();

    /// Reports the progress of work that the other ranks may wait for without a time-out, until the
    /// returned object is destroyed, which must happen before the environment is destroyed. Work
    /// may be nested; the innermost counts. Not a collective.
    [[nodiscard]] std::shared_ptr<const void> watch_progress(WatchedWork work);

    /// Returns false after a failure or after close().
    bool usable() const noexcept;

    /// Returns the first known failure of a rank, waiting up to `timeout` for one. A rank that is
    /// about to fail uses it to find out if another rank's failure is the cause.
    std::optional<std::string> await_failure(std::chrono::milliseconds timeout);

    /// Adds `amount` to a counter that all ranks share and that starts at 0, and returns its
    /// previous value. Used to distribute work dynamically. Not a collective.
    std::int64_t fetch_add(const std::string& counter, std::int64_t amount = 1);

    /// Removes a counter that no rank needs any more; fetch_add() would start it at 0 again. Not a
    /// collective.
    void remove_counter(const std::string& counter);

    /// Publishes why this rank fails, so that the other ranks can print the first cause. Never
    /// throws and blocks for two seconds at most. The environment cannot be used afterwards. Call
    /// it inside the scope of the environment: if an exception leaves the scope without it, the
    /// other ranks learn that this rank failed, but not why.
    void report_failure(const std::string& message) noexcept;

    /// Closes the environment together with the other ranks, for which it waits up to `timeout`
    /// (default: DistributedOptions::timeout). Afterwards the port of the store is free. Throws
    /// DistributedError if that fails. Later calls and the destructor do nothing.
    void close(std::optional<std::chrono::milliseconds> timeout = {});

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// A failure of a rank or of a connection between ranks. The message names the ranks and the first
/// known cause.
class DistributedError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// At least one rank cannot take part; see DistributedOptions::problem.
class RanksNotReady : public DistributedError {
  public:
    /// `problems` is indexed by rank; a text is empty if the rank is ready.
    explicit RanksNotReady(std::vector<std::string> problems);
    /// Returns the problems, indexed by rank.
    const std::vector<std::string>& problems() const noexcept { return problems_; }

  private:
    std::vector<std::string> problems_;
};

}  // namespace helioray
