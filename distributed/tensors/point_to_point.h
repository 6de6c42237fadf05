// SPDX-License-Identifier: MIT
// Messages from one rank to another, blocking and non-blocking.
#pragma once

#include "distributed/ranks/process_group.h"

#include <cstdint>
#include <memory>

namespace at {
class Tensor;
}

namespace helioray {

namespace detail {
class Channel;
class PendingMessage;
}  // namespace detail

/// Sender of receive calls that accept the first message from any rank.
inline constexpr int kAnyRank = -1;

/// Handle of a pending message. Call wait() before the handle is destroyed: otherwise the message
/// is cancelled, and the group cannot be used any more.
class Transfer {
  public:
    /// Used by send_async() and receive_async().
    Transfer(std::weak_ptr<detail::Channel> channel,
             std::shared_ptr<detail::PendingMessage> message)
        : channel_(std::move(channel)), message_(std::move(message)) {}

    /// Returns true if wait() would return at once.
    bool is_complete();
    /// Waits until the message is complete; a sent message is complete when the receiver has it.
    /// Throws DistributedError after the environment's time-out or if a rank has failed.
    void wait();
    /// Waits, then returns the tensor.
    at::Tensor tensor();
    /// Waits, then returns the other rank.
    int peer();

  private:
    std::weak_ptr<detail::Channel> channel_;
    std::shared_ptr<detail::PendingMessage> message_;
    bool waited_ = false;
};

// Ranks are numbered within the group; a rank cannot send to itself. Messages from one rank to
// another with one tag (>= 0) are received in the order in which they were sent. DistributedError
// is thrown if the receiver's tensor has another type or shape than the message. Tensors may have
// any type; those on CUDA are sent through the host. The functions are not collective, and handles
// may be waited for in any order.

/// Sends the tensor and waits until the receiver has it.
void send(const ProcessGroup& group, const at::Tensor& tensor, int to, std::int64_t tag = 0);

/// Receives a message into the tensor.
void receive(const ProcessGroup& group, at::Tensor& tensor, int from, std::int64_t tag = 0);

/// Returns the next message, of any type and shape, on the CPU.
at::Tensor receive(const ProcessGroup& group, int from, std::int64_t tag = 0);

/// Starts to send a message and returns at once. The tensor must not change until it is complete.
Transfer send_async(const ProcessGroup& group,
                    const at::Tensor& tensor,
                    int to,
                    std::int64_t tag = 0);

/// Starts to receive a message and returns at once. The tensor holds it when it is complete.
Transfer receive_async(const ProcessGroup& group,
                       at::Tensor& tensor,
                       int from,
                       std::int64_t tag = 0);
/// Starts to receive the next message, of any type and shape, on the CPU; returns at once.
Transfer receive_async(const ProcessGroup& group, int from, std::int64_t tag = 0);

}  // namespace helioray
