// SPDX-License-Identifier: MIT
// The connections of one group of ranks: where they agree, how their data and messages travel.
#pragma once

#include "distributed/transport.h"

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

/// Before a collective the ranks of a group meet in the store. Only when all are there and agree
/// does data move: so a missing rank has a name, a wrong shape is an error instead of the end of
/// the process, and no operation is ever left waiting for a rank that failed earlier.
class Rendezvous {
  public:
    /// `store`: of this group alone. `ranks`: of the world, by rank within the group; this process
    /// is ranks[rank].
    Rendezvous(World& world, Store store, std::vector<int> ranks, int rank);

    /// Waits until all ranks have arrived, and returns their payloads by rank. Throws
    /// DistributedError, naming the ranks that are missing after `timeout`, or two operations that
    /// differ.
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

/// A message that was sent or is awaited.
class PendingMessage {
  public:
    bool is_complete() const { return matched_ && (!message_ || message_->is_complete()); }
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
    /// Starts every awaited message that was announced. Returns the first message that does not fit
    /// its announcement; empty where all fit.
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

/// What a channel is made from.
struct ChannelOptions {
    GroupOptions group;
    std::string address;            ///< of Group::gloo
    std::optional<int> nccl_index;  ///< CUDA device for NCCL; nothing: Gloo alone
    bool check_calls = true;        ///< ranks agree before every operation
};

/// Two or more ranks that are connected: their meetings, their data groups, their messages. Ranks
/// are those within the group. Every member but the messages is collective. Failures are
/// DistributedErrors.
class Channel {
  public:
    Channel(World& world, const Store& store, ChannelOptions options);

    int rank() const noexcept { return options_.group.rank; }
    int size() const noexcept { return static_cast<int>(options_.group.ranks.size()); }

    /// Meets the other ranks in any case; returns their payloads by rank.
    std::vector<std::string> rendezvous(const std::string& operation, const std::string& payload = {});
    std::vector<std::string> rendezvous(const std::string& operation,
                                  const std::string& payload,
                                  std::chrono::milliseconds timeout);
    /// Meets the others unless calls go unchecked.
    void agree(const std::string& operation);

    /// Runs `call` on the group for tensors like `like`.
    void run(const std::string& operation,
             const at::Tensor& like,
             const std::function<void(Group&, const WaitCallback&)>& call);
    /// `tensor` where the group for it can take it from: itself, or a copy on the host.
    at::Tensor on_wire(const at::Tensor& tensor) const;

    /// Messages to one rank under one tag arrive in the order they were sent. Not collective; both
    /// return at once.
    std::shared_ptr<PendingMessage> send(const at::Tensor& tensor, int to, std::int64_t tag);
    /// With an undefined tensor: accepts any message. `from` < 0: from whichever rank sends
    /// first.
    std::shared_ptr<PendingMessage> receive(at::Tensor tensor, int from, std::int64_t tag);
    /// Waits for the end of a message, at most for the time-out of the environment.
    void wait(PendingMessage& message);
    bool is_complete(PendingMessage& message);
    /// Starts what can be started of the messages that are waited for.
    void progress();

    void shutdown();
    void abort() noexcept;

  private:
    World& world_;
    Store store_;
    const ChannelOptions options_;
    Rendezvous rendezvous_;
    std::unique_ptr<Group> host_group_;  // Gloo
    std::unique_ptr<Group> cuda_group_;  // NCCL, where it is the backend
    MessageBook book_;
};

}  // namespace helioray::detail
