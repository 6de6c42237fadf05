// SPDX-License-Identifier: MIT
// The connections of one group of ranks.
#pragma once

#include "distributed/meeting.h"
#include "distributed/pending_message.h"
#include "distributed/transport.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

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

    /// Meets the others, always; returns what each brought, by rank.
    std::vector<std::string> meet(const std::string& operation, const std::string& payload = {});
    std::vector<std::string> meet(const std::string& operation,
                                  const std::string& payload,
                                  std::chrono::milliseconds timeout);
    /// Meets the others unless calls go unchecked.
    void agree(const std::string& operation);

    /// Runs `call` on the group for tensors like `like`.
    void run(const std::string& operation,
             const at::Tensor& like,
             const std::function<void(Group&, const WhileWaiting&)>& call);
    /// `tensor` where the group for it can take it from: itself, or a copy on the host.
    at::Tensor on_wire(const at::Tensor& tensor) const;

    /// Messages to one rank under one tag arrive in the order they were sent. Not collective; both
    /// return at once.
    std::shared_ptr<PendingMessage> send(const at::Tensor& tensor, int to, std::int64_t tag);
    /// With an undefined tensor: takes whatever was sent. `from` < 0: from whichever rank sends
    /// first.
    std::shared_ptr<PendingMessage> receive(at::Tensor tensor, int from, std::int64_t tag);
    /// Waits for the end of a message, at most for the time-out of the environment.
    void wait(PendingMessage& message);
    bool is_over(PendingMessage& message);
    /// Starts what can be started of the messages that are waited for.
    void progress();

    void shutdown();
    void abort() noexcept;

  private:
    World& world_;
    Store store_;
    const ChannelOptions options_;
    Meeting meeting_;
    std::unique_ptr<Group> host_group_;  // Gloo
    std::unique_ptr<Group> cuda_group_;  // NCCL, where it is the backend
    MessageBook book_;
};

}  // namespace helioray::detail
