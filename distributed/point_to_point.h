// SPDX-License-Identifier: MIT
// Messages from one rank to another, blocking and not.
#pragma once

#include "distributed/process_group.h"

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

/// As a sender: the first rank that sends.
inline constexpr int kAnyRank = -1;

/// A message under way. wait() before the handle goes: a message that is not over is given up then,
/// which breaks the group.
class Transfer {
  public:
    /// For use by send_async() and receive_async().
    Transfer(std::weak_ptr<detail::Channel> channel,
             std::shared_ptr<detail::PendingMessage> message)
        : channel_(std::move(channel)), message_(std::move(message)) {}

    /// True once wait() would return at once.
    bool is_complete();
    /// Waits for the end: of a sent message, until the receiver has it. Throws DistributedError
    /// after the environment's time-out, or when a rank has failed.
    void wait();
    /// wait(), then the tensor.
    at::Tensor tensor();
    /// wait(), then the other rank.
    int peer();

  private:
    std::weak_ptr<detail::Channel> channel_;
    std::shared_ptr<detail::PendingMessage> message_;
    bool waited_ = false;
};

// Ranks are those within the group; a rank cannot send to itself. Messages from one rank to another
// under one tag (>= 0) arrive in the order they were sent. A receiver's tensor of another type or
// shape than the message is a DistributedError. Tensors are of any type; those on CUDA travel
// through the host. A message is not a collective, and may be awaited in any order.

/// Sends, and waits until the receiver has it.
void send(const ProcessGroup& group, const at::Tensor& tensor, int to, std::int64_t tag = 0);

/// Fills the tensor.
void receive(const ProcessGroup& group, at::Tensor& tensor, int from, std::int64_t tag = 0);

/// The next message of any type and shape, on the CPU.
at::Tensor receive(const ProcessGroup& group, int from, std::int64_t tag = 0);

/// Starts a message and returns at once; the tensor must not change until it is over.
Transfer send_async(const ProcessGroup& group,
                    const at::Tensor& tensor,
                    int to,
                    std::int64_t tag = 0);

/// Asks for a message and returns at once; the tensor is filled when it is over.
Transfer receive_async(const ProcessGroup& group,
                       at::Tensor& tensor,
                       int from,
                       std::int64_t tag = 0);
/// The same for the next message of any type and shape, on the CPU.
Transfer receive_async(const ProcessGroup& group, int from, std::int64_t tag = 0);

}  // namespace helioray
