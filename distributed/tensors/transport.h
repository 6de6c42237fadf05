// SPDX-License-Identifier: MIT
// Interface to the groups of Gloo and NCCL. Only transport*.cpp include headers of LibTorch's c10d.
#pragma once

#include "distributed/ranks/process_group.h"
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

/// Returns calls to the launcher's store at host:port, which is a TCPStore of c10d (torchrun's).
LauncherStore make_launcher_store(const std::string& host,
                                  int port,
                                  std::chrono::milliseconds timeout,
                                  const WaitCallback& wait_callback);

/// Polls until `is_complete` returns true. Calls `wait_callback` between the polls; it cancels the
/// wait by throwing.
template <typename IsComplete>
void poll_until(IsComplete&& is_complete, const WaitCallback& wait_callback) {
    // Short operations complete within the first polls; longer pauses then save processor time.
    auto pause = std::chrono::microseconds(20);
    while (!is_complete()) {
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(2000));
        if (wait_callback) wait_callback();
    }
}

/// Broadcasts the text of a group's first rank. All ranks call it; returns the first rank's text.
using BroadcastText = std::function<std::string(const std::string& mine)>;

/// A pending message between two ranks. It owns a reference to its tensor. The destructor cancels a
/// message that is not complete.
class Message {
  public:
    virtual ~Message() = default;
    /// Returns true once the message has been transferred or has failed.
    virtual bool is_complete() = 0;
    /// Throws TransportError if the complete message has failed.
    virtual void check() = 0;
};

/// Members of a group and how they connect.
struct GroupOptions {
    std::string name;                      ///< name of the group, unique in the environment
    int rank = 0;                          ///< index of this process in `ranks`
    std::vector<int> ranks;                ///< world ranks of the members
    std::chrono::milliseconds timeout{0};  ///< longest duration of the start and of every call
    /// Called while the group connects, possibly on another thread; cancels by throwing.
    WaitCallback wait_callback;
};

/// A group of connected ranks. Member functions are blocking collectives unless documented
/// otherwise. Tensors must be contiguous, not empty and on a device that the group supports; their
/// type and size must be the same on every rank unless documented otherwise. After a failed call,
/// the group cannot be used any more. The callbacks cancel a call by throwing.
class Group {
  public:
    /// Connects a Gloo group. Collective over its ranks. `address` is the local address of the
    /// connections; if it is empty, GLOO_SOCKET_IFNAME or the host name determines it.
    static std::unique_ptr<Group> gloo(const Store& store,
                                       const GroupOptions& options,
                                       const std::string& address);

    /// Loads the module helioray_nccl. Throws TransportError if it is missing.
    static void load_nccl();

    /// Connects an NCCL group of ranks with a separate CUDA device each. Collective over its ranks.
    /// Connecting, calls and shutdown() take no longer than the group's time-out, abort() a few
    /// seconds. Throws TransportError.
    static std::unique_ptr<Group> nccl(const Store& store,
                                       const GroupOptions& options,
                                       int cuda_index,
                                       const WaitCallback& wait_callback);

    virtual ~Group() = default;

    /// Computes the sum, minimum or maximum over the ranks, in place.
    virtual void all_reduce(at::Tensor& tensor, Reduction, const WaitCallback&) = 0;
    /// Reduces into the tensor of `root`; the contents of the other tensors are undefined
    /// afterwards.
    virtual void reduce(at::Tensor& tensor, int root, Reduction, const WaitCallback&) = 0;
    /// Copies the tensor of `root` into the tensors of the other ranks.
    virtual void broadcast(at::Tensor& tensor, int root, const WaitCallback&) = 0;
    /// Concatenates the tensors `mine` of all ranks into `all`. The tensors are one-dimensional.
    virtual void all_gather(at::Tensor& all, const at::Tensor& mine, const WaitCallback&) = 0;
    /// Sends consecutive parts of `send`, send_sizes[r] elements to rank r, and fills `receive`
    /// with receive_sizes[r] elements from each rank r. The tensors are one-dimensional and may be
    /// empty.
    virtual void all_to_all(at::Tensor& receive,
                            const at::Tensor& send,
                            std::vector<std::int64_t> receive_sizes,
                            std::vector<std::int64_t> send_sizes,
                            const WaitCallback&) = 0;

    /// Starts to send a host tensor to rank `to`. `tag` (>= 0) must be unique among the pending
    /// messages between the two ranks. Not collective; returns at once.
    virtual std::unique_ptr<Message> send(const at::Tensor& tensor, int to, int tag) = 0;
    /// Starts to receive the message with this tag; see send().
    virtual std::unique_ptr<Message> receive(at::Tensor& tensor, int from, int tag) = 0;

    /// Closes the group. Collective.
    virtual void shutdown() = 0;
    /// Closes the group without the other ranks.
    virtual void abort() = 0;
};

}  // namespace helioray::detail
