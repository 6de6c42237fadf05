// SPDX-License-Identifier: MIT
// The connections of one group of ranks: agreement before collectives, data and messages.
#pragma once

#include "distributed/tensors/transport.h"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::detail {

class World;

/// Agreement of the ranks of a group before each collective. Every rank sends the operation with
/// its type and shape to the store, which answers when all ranks have joined. Data move only after
/// all ranks agree. A missing rank can therefore be named, different shapes are an error instead of
/// a crash, and no operation waits for a rank that failed before it.
class Rendezvous {
  public:
    /// `store` must be used by this group alone. `ranks` holds the world ranks of the group's
    /// members; this process is ranks[rank].
    Rendezvous(World& world, Store store, std::vector<int> ranks, int rank);

    /// Joins the next rendezvous, waits for all ranks and returns their payloads, indexed by rank.
    /// Throws DistributedError that names the ranks which are missing after `timeout`, or two ranks
    /// with different operations.
    std::vector<std::string> join(const std::string& operation,
                                  const std::string& payload,
                                  std::chrono::milliseconds timeout);

  private:
    [[noreturn]] void fail_for_missing(const std::string& operation,
                                       const std::string& name,
                                       std::chrono::milliseconds timeout);
    [[noreturn]] void fail_for_difference(const std::vector<StoreClient::RendezvousText>& texts);

    World& world_;
    Store store_;
    const std::vector<int> ranks_;
    const int rank_;
    std::int64_t sequence_ = 0;
};

/// A message between two ranks that is being sent or received.
class PendingMessage {
  public:
    bool is_complete() const { return matched_ && (!message_ || message_->is_complete()); }
    /// Finishes a complete message: copies received data into the caller's tensor. Throws
    /// TransportError if the transfer failed.
    void check();
    /// Returns the description for messages: "the message from rank 1 of the group (tag 3)".
    std::string describe() const;
    /// Returns the data; valid once the message is complete.
    const at::Tensor& tensor() const { return target_.defined() ? target_ : wire_; }
    /// Returns the other rank; negative while a message from any rank has not been matched.
    int peer() const { return peer_; }

  private:
    friend class MessageQueue;
    at::Tensor target_;  // the caller's tensor, if it needs a copy from wire_
    at::Tensor wire_;    // contiguous tensor on the host that is sent or received
    int peer_ = -1;
    std::int64_t tag_ = 0;
    bool incoming_ = false;
    bool matched_ = false;
    std::unique_ptr<Message> message_;
};

/// The messages of one rank in a group. A sender announces type and shape of each message in the
/// store. The receiver compares them before any data move, because a wrong size would end the
/// process.
class MessageQueue {
  public:
    MessageQueue(Store store, int rank, int size);

    std::shared_ptr<PendingMessage> send(Group& group,
                                         const at::Tensor& tensor,
                                         int to,
                                         std::int64_t tag);
    std::shared_ptr<PendingMessage> receive(at::Tensor tensor, int from, std::int64_t tag);
    /// Starts to receive every pending message that has been announced. Returns an error message
    /// for the first one whose type or shape differs from the announcement, else an empty text.
    std::string progress(Group& group);

  private:
    using RankAndTag = std::pair<int, std::int64_t>;

    std::string key(int from, int to, std::int64_t tag, std::int64_t number) const;
    std::string start(Group& group, PendingMessage& message, const std::string& announcement);

    Store store_;
    const int rank_, size_;
    std::map<RankAndTag, std::int64_t> sent_, received_;  // numbers of messages
    std::map<int, int> wire_tags_;                        // next tag of the transport, by receiver
    std::list<std::weak_ptr<PendingMessage>> unmatched_;  // receives without an announcement
};

/// Options of a Channel.
struct ChannelOptions {
    GroupOptions group;             ///< members and time-out
    std::string address;            ///< local address for Gloo, see Group::gloo()
    std::optional<int> nccl_index;  ///< CUDA device for NCCL; without one, only Gloo is used
    bool check_calls = true;        ///< ranks agree before every operation
};

/// The connections between two or more ranks of a group. Ranks are numbered within the group.
/// All member functions are collective, except those for messages. Failures are reported as
/// DistributedError.
class Channel {
  public:
    Channel(World& world, const Store& store, ChannelOptions options);

    int rank() const noexcept { return options_.group.rank; }
    int size() const noexcept { return static_cast<int>(options_.group.ranks.size()); }

    /// Waits for all ranks, also if calls go unchecked; returns their payloads, indexed by rank.
    /// Without `timeout`, the time-out of the group applies.
    std::vector<std::string> rendezvous(const std::string& operation,
                                        const std::string& payload = {});
    std::vector<std::string> rendezvous(const std::string& operation,
                                        const std::string& payload,
                                        std::chrono::milliseconds timeout);
    /// Checks that all ranks call the same operation; does nothing if calls go unchecked.
    void agree(const std::string& operation);

    /// Runs `call` on the NCCL group for CUDA tensors if there is one, else on the Gloo group.
    void run(const std::string& operation,
             const at::Tensor& like,
             const std::function<void(Group&, const WaitCallback&)>& call);
    /// Returns the tensor itself if its group can send it, else a copy on the host.
    at::Tensor make_sendable(const at::Tensor& tensor) const;
    /// Copies the root's tensor to all ranks as bytes, so that the backend needs to support one
    /// type only. The ranks must have agreed on type and shape before.
    void copy_to_all(const std::string& operation, at::Tensor& tensor, int root);

    /// Starts to send a message and returns at once. Messages to one rank with one tag are received
    /// in the order in which they were sent. Not collective.
    std::shared_ptr<PendingMessage> send(const at::Tensor& tensor, int to, std::int64_t tag);
    /// Starts to receive a message and returns at once. An undefined tensor accepts any type and
    /// shape; a negative `from` accepts the first message from any rank. Not collective.
    std::shared_ptr<PendingMessage> receive(at::Tensor tensor, int from, std::int64_t tag);
    /// Waits until the message is complete, at most for the time-out of the environment.
    void wait(PendingMessage& message);
    /// Polls; returns true if wait() would return at once.
    bool is_complete(PendingMessage& message);
    /// Starts to receive the pending messages that have been announced.
    void progress();

    /// Closes the groups together with the other ranks.
    void shutdown();
    /// Closes the groups without the other ranks.
    void abort() noexcept;

  private:
    World& world_;
    Store store_;
    const ChannelOptions options_;
    Rendezvous rendezvous_;
    std::unique_ptr<Group> host_group_;  // Gloo
    std::unique_ptr<Group> cuda_group_;  // NCCL, if it is the backend
    MessageQueue messages_;
};

}  // namespace helioray::detail
