// SPDX-License-Identifier: MIT
// Messages between two ranks, and the order in which they find each other.
#pragma once

#include "distributed/transport.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace helioray::detail {

/// A message that was sent or is awaited.
class PendingMessage {
  public:
    bool is_over() const { return matched_ && (!message_ || message_->is_over()); }
    /// Once it is over: throws TransportError where it failed; puts the data where they belong.
    void check();
    /// "the message from rank 1 (tag 3)"
    std::string text() const;
    /// The data, once it is over.
    const at::Tensor& tensor() const { return target_.defined() ? target_ : wire_; }
    /// The other rank; < 0 until a message from any rank has come.
    int peer() const { return peer_; }

  private:
    friend class MessageBook;
    at::Tensor target_;  // the caller's, where it is not what the wire takes
    at::Tensor wire_;
    int peer_ = -1;
    std::int64_t tag_ = 0;
    bool incoming_ = false;
    bool matched_ = false;
    std::unique_ptr<Message> message_;
};

/// One rank's messages in a group. A sender announces type, shape and number in the store; the
/// receiver compares them before any data move, since a wrong size would end the process.
class MessageBook {
  public:
    MessageBook(Store store, int rank, int size);

    std::shared_ptr<PendingMessage> send(Group& group,
                                         const at::Tensor& tensor,
                                         int to,
                                         std::int64_t tag);
    std::shared_ptr<PendingMessage> receive(at::Tensor tensor, int from, std::int64_t tag);
    /// Starts every awaited message that was announced. Returns what is wrong with one; empty where
    /// all fit.
    std::string progress(Group& group);

  private:
    using Line = std::pair<int, std::int64_t>;  // rank, tag

    std::string key(int from, int to, std::int64_t tag, std::int64_t number) const;
    std::string start(Group& group, PendingMessage& message, const std::string& announcement);

    Store store_;
    const int rank_, size_;
    std::map<Line, std::int64_t> sent_, received_;
    std::map<int, int> wire_tags_;  // by receiver
    std::list<std::weak_ptr<PendingMessage>> awaited_;
};

}  // namespace helioray::detail
