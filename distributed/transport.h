// SPDX-License-Identifier: MIT
// Collective groups, without a header of LibTorch's c10d: those are for transport*.cpp alone.
#pragma once

#include "distributed/process_group.h"
#include "distributed/store/open_store.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace at {
class Tensor;
}

namespace helioray::detail {

/// The store of a launcher at host:port, which is one of c10d (torchrun's). `look` as in sockets.h.
LauncherStore launcher_store(const std::string& host,
                             int port,
                             std::chrono::milliseconds timeout,
                             const WaitCallback& wait_callback);

/// Called again and again while a collective is under way; leaves the wait by throwing.
using WaitCallback = WaitCallback;

/// Returns when `is_complete` says so.
template <typename IsComplete>
void poll_until(IsComplete&& is_complete, const WaitCallback& wait_callback) {
    // Short operations end within the first rounds; long ones do not burn a core.
    auto pause = std::chrono::microseconds(20);
    while (!is_complete()) {
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(2000));
        if (wait_callback) wait_callback();
    }
}

/// Gives the text of a group's first rank to all its ranks, which call it with their own.
using BroadcastText = std::function<std::string(const std::string& mine)>;

/// A message between two ranks that is under way. It keeps its tensor alive; one that is not over
/// is given up when the handle goes.
class Message {
  public:
    virtual ~Message() = default;
    virtual bool is_complete() = 0;
    /// Once it is over: throws TransportError where it failed.
    virtual void check() = 0;
};

/// Which ranks a group joins, and how.
struct GroupOptions {
    std::string name;
    int rank = 0;                          ///< of this process within the group
    std::vector<int> ranks;                ///< of the world, by rank within the group
    std::chrono::milliseconds timeout{0};  ///< of its start and of every call
    WaitCallback wait_callback;  ///< looks up while the group connects; may be called by another thread
};

/// Connected ranks. Every member is a collective over them unless it says otherwise, and waits in
/// place. Tensors are contiguous, of a device the group knows, not empty, and of the same type and
/// size on every rank where nothing else is said. A call that fails leaves the group unusable.
class Group {
  public:
    /// Collective over the group's ranks. `address`: the local address to talk from; empty: as
    /// GLOO_SOCKET_IFNAME or the host name says.
    static std::unique_ptr<Group> gloo(const Store& store,
                                       const GroupOptions& options,
                                       const std::string& address);

    /// Loads what NCCL groups need. Throws TransportError where the module helioray_nccl is
    /// missing.
    static void load_nccl();

    /// Collective over the group's ranks; each has its own CUDA device. Start, calls and end last
    /// no longer than the group's time-out, an abort no longer than seconds. Throws
    /// TransportError.
    static std::unique_ptr<Group> nccl(const Store& store,
                                       const GroupOptions& options,
                                       int cuda_index,
                                       const WaitCallback& wait_callback);

    virtual ~Group() = default;

    /// sum, minimum or maximum, in place.
    virtual void all_reduce(at::Tensor& tensor, Reduction, const WaitCallback&) = 0;
    /// The same, wanted on `root` only; the tensors of the other ranks are left in any state.
    virtual void reduce(at::Tensor& tensor, int root, Reduction, const WaitCallback&) = 0;
    virtual void broadcast(at::Tensor& tensor, int root, const WaitCallback&) = 0;
    /// One-dimensional: `all` holds the tensors `mine` of all ranks, one after the other.
    virtual void all_gather(at::Tensor& all, const at::Tensor& mine, const WaitCallback&) = 0;
    /// One-dimensional: `send` holds send_sizes[r] elements for each rank r, one part after the
    /// other, `receive` gets receive_sizes[r] from each. Either may be empty.
    virtual void all_to_all(at::Tensor& receive,
                            const at::Tensor& send,
                            std::vector<std::int64_t> receive_sizes,
                            std::vector<std::int64_t> send_sizes,
                            const WaitCallback&) = 0;

    /// Between two ranks, on the host; they find each other by `tag`, which is >= 0 and unique
    /// between them among the messages under way. Not collective, and returns at once.
    virtual std::unique_ptr<Message> send(const at::Tensor& tensor, int to, int tag) = 0;
    virtual std::unique_ptr<Message> receive(at::Tensor& tensor, int from, int tag) = 0;

    /// Ends the group; all ranks do.
    virtual void shutdown() = 0;
    /// Ends the group without the others.
    virtual void abort() = 0;
};

}  // namespace helioray::detail
