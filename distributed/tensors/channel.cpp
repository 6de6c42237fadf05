// SPDX-License-Identifier: MIT
// Rendezvous, messages and data of one group of ranks.
#include "distributed/tensors/channel.h"

#include "distributed/launch/message_text.h"
#include "distributed/tensors/tensor_checks.h"
#include "distributed/tensors/world.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

namespace helioray::detail {
namespace {

/// Returns the operation of a rendezvous text "operation\npayload".
std::string extract_operation(const std::string& value) {
    return value.substr(0, value.find('\n'));
}

}  // namespace

Rendezvous::Rendezvous(World& world, Store store, std::vector<int> ranks, int rank)
    : world_(world), store_(std::move(store)), ranks_(std::move(ranks)), rank_(rank) {}

std::vector<std::string> Rendezvous::join(const std::string& operation,
                                          const std::string& payload,
                                          std::chrono::milliseconds timeout) {
    world_.require_usable();
    world_.check_peers();
    const std::string name = store_.name(std::to_string(sequence_++));
    const std::string mine = operation + "\n" + payload;
    std::vector<StoreClient::RendezvousText> texts;
    world_.run_guarded(operation, [&] {
        try {
            texts = store_.client().rendezvous(
                name, static_cast<int>(ranks_.size()), rank_, mine, timeout);
        } catch (const TimeoutError&) {
            fail_for_missing(operation, name, timeout);
        }
    });
    if (texts.empty()) return std::vector<std::string>(ranks_.size(), payload);
    for (const StoreClient::RendezvousText& call : texts)
        if (extract_operation(call.text) != operation) fail_for_difference(texts);
    std::vector<std::string> payloads(ranks_.size());
    for (const StoreClient::RendezvousText& call : texts)
        for (const int rank : call.ranks) payloads[rank] = call.text.substr(operation.size() + 1);
    return payloads;
}

void Rendezvous::fail_for_missing(const std::string& operation,
                                  const std::string& name,
                                  std::chrono::milliseconds timeout) {
    std::vector<int> missing;
    std::string names;
    for (const int rank : store_.client().missing_ranks(name, static_cast<int>(ranks_.size()))) {
        missing.push_back(ranks_[rank]);
        if (missing.size() <= 4)
            names += (names.empty() ? "" : ", ") + world_.get_rank_name(ranks_[rank]);
    }
    if (missing.size() > 4) names = "ranks " + list_ranks(missing);
    world_.fail(operation + ": " + names + " did not reach this call within " +
                format_seconds(timeout) +
                "; the rank hangs, or works longer than the time-out: raise distributed.timeout_s");
}

void Rendezvous::fail_for_difference(const std::vector<StoreClient::RendezvousText>& texts) {
    // Name the lowest rank and the first one that differs from it.
    std::vector<std::string> operations(ranks_.size());
    for (const StoreClient::RendezvousText& call : texts)
        for (const int rank : call.ranks) operations[rank] = extract_operation(call.text);
    std::size_t other = 0;
    while (operations[other] == operations[0]) ++other;
    world_.fail("the ranks disagree: rank " + std::to_string(ranks_[0]) + " calls " +
                operations[0] + ", rank " + std::to_string(ranks_[other]) + " calls " +
                operations[other]);
}

namespace {

/// Tags of the transport have 31 bits, and far fewer messages are in flight at a time.
constexpr int kWireTags = 1 << 30;

std::string format_announcement(const at::Tensor& tensor, int wire_tag) {
    std::ostringstream text;
    text << wire_tag << ' ' << static_cast<int>(tensor.scalar_type());
    for (const auto size : tensor.sizes()) text << ' ' << size;
    return text.str();
}

}  // namespace

std::string PendingMessage::describe() const {
    return std::string("the message ") + (incoming_ ? "from " : "to ") +
           (peer_ < 0 ? "any rank" : "rank " + std::to_string(peer_) + " of the group") + " (tag " +
           std::to_string(tag_) + ")";
}

void PendingMessage::check() {
    if (message_) message_->check();
    message_.reset();
    if (incoming_ && target_.defined()) target_.copy_(wire_);
}

MessageQueue::MessageQueue(Store store, int rank, int size)
    : store_(std::move(store)), rank_(rank), size_(size) {}

std::string MessageQueue::key(int from, int to, std::int64_t tag, std::int64_t number) const {
    return std::to_string(from) + "/" + std::to_string(to) + "/" + std::to_string(tag) + "/" +
           std::to_string(number);
}

std::shared_ptr<PendingMessage> MessageQueue::send(Group& group,
                                                   const at::Tensor& tensor,
                                                   int to,
                                                   std::int64_t tag) {
    auto message = std::make_shared<PendingMessage>();
    message->peer_ = to;
    message->tag_ = tag;
    message->wire_ = detach_contiguous(tensor).cpu();
    message->matched_ = true;
    const int wire_tag = wire_tags_[to]++ % kWireTags;
    store_.set(key(rank_, to, tag, sent_[{to, tag}]++),
               format_announcement(message->wire_, wire_tag));
    if (message->wire_.numel() > 0)
        message->message_ = group.send(view_as_bytes(message->wire_), to, wire_tag);
    return message;
}

std::shared_ptr<PendingMessage> MessageQueue::receive(at::Tensor tensor,
                                                      int from,
                                                      std::int64_t tag) {
    auto message = std::make_shared<PendingMessage>();
    message->incoming_ = true;
    message->peer_ = from;
    message->tag_ = tag;
    if (tensor.defined() && tensor.is_cpu() && tensor.is_contiguous() && !tensor.is_conj() &&
        !tensor.is_neg())
        message->wire_ = std::move(tensor);
    else
        message->target_ = std::move(tensor);
    unmatched_.push_back(message);
    return message;
}

std::string MessageQueue::progress(Group& group) {
    // Messages of one sender and tag are matched with receives in the order of the calls: `taken`
    // holds the pairs that an earlier receive waits for.
    std::set<RankAndTag> taken;
    for (auto item = unmatched_.begin(); item != unmatched_.end();) {
        const auto message = item->lock();
        if (!message) {
            item = unmatched_.erase(item);
            continue;
        }
        std::vector<int> senders;
        for (int from = 0; from < size_; ++from)
            if (from != rank_ && (message->peer_ < 0 || message->peer_ == from))
                senders.push_back(from);
        for (const int from : senders) {
            const RankAndTag source{from, message->tag_};
            if (taken.count(source)) continue;
            const std::string name = key(from, rank_, message->tag_, received_[source]);
            const auto announcement = store_.get(name);
            if (!announcement) continue;
            ++received_[source];
            message->peer_ = from;
            store_.erase(name);
            const std::string problem = start(group, *message, *announcement);
            if (!problem.empty()) return problem;
            break;
        }
        if (message->matched_) {
            item = unmatched_.erase(item);
            continue;
        }
        for (const int from : senders) taken.insert({from, message->tag_});
        ++item;
    }
    return {};
}

std::string MessageQueue::start(Group& group,
                                PendingMessage& message,
                                const std::string& announcement) {
    std::istringstream text(announcement);
    int wire_tag = 0, type = 0;
    text >> wire_tag >> type;
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = 0; text >> size;) sizes.push_back(size);
    const auto scalar_type = static_cast<at::ScalarType>(type);

    const at::Tensor& expected = message.tensor();
    if (expected.defined() && (expected.scalar_type() != scalar_type || expected.sizes() != sizes))
        return message.describe() + " is " + c10::toString(scalar_type) + " [" +
               describe_shape(sizes) + "], but " + c10::toString(expected.scalar_type()) + " [" +
               describe_shape(expected.sizes()) +
               "] is expected; send and receive the same type and shape";
    if (!message.wire_.defined()) message.wire_ = at::empty(sizes, scalar_type);
    message.matched_ = true;
    if (message.wire_.numel() == 0) return {};
    at::Tensor bytes = view_as_bytes(message.wire_);
    message.message_ = group.receive(bytes, message.peer_, wire_tag);
    return {};
}

Channel::Channel(World& world, const Store& store, ChannelOptions options)
    : world_(world),
      store_(store),
      options_(std::move(options)),
      rendezvous_(world, store.with_prefix("meeting"), options_.group.ranks, options_.group.rank),
      messages_(store.with_prefix("messages"), options_.group.rank, size()) {
    host_group_ = Group::gloo(store_.with_prefix("gloo"), options_.group, options_.address);
    if (options_.nccl_index)
        cuda_group_ =
            Group::nccl(store_.with_prefix("nccl"), options_.group, *options_.nccl_index, [this] {
                world_.poll();
            });
}

std::vector<std::string> Channel::rendezvous(const std::string& operation,
                                             const std::string& payload) {
    return rendezvous(operation, payload, options_.group.timeout);
}

std::vector<std::string> Channel::rendezvous(const std::string& operation,
                                             const std::string& payload,
                                             std::chrono::milliseconds timeout) {
    return rendezvous_.join(operation, payload, timeout);
}

void Channel::agree(const std::string& operation) {
    if (options_.check_calls) {
        rendezvous(operation);
    } else {
        world_.require_usable();
        world_.check_peers();
    }
}

void Channel::run(const std::string& operation,
                  const at::Tensor& like,
                  const std::function<void(Group&, const WaitCallback&)>& call) {
    world_.run_guarded(operation, [&] {
        call(like.is_cuda() && cuda_group_ ? *cuda_group_ : *host_group_,
             [this] { world_.poll(); });
    });
}

at::Tensor Channel::make_sendable(const at::Tensor& tensor) const {
    // Gloo only sends from the host; the copies are exact.
    return tensor.is_cuda() && !cuda_group_ ? tensor.cpu() : tensor;
}

void Channel::copy_to_all(const std::string& operation, at::Tensor& tensor, int root) {
    if (tensor.numel() == 0) return;
    const at::Tensor wire = make_sendable(tensor);
    run(operation, wire, [&](Group& group, const WaitCallback& wait) {
        at::Tensor bytes = view_as_bytes(wire);
        group.broadcast(bytes, root, wait);
    });
    if (!wire.is_same(tensor)) tensor.copy_(wire);
}

std::shared_ptr<PendingMessage> Channel::send(const at::Tensor& tensor, int to, std::int64_t tag) {
    world_.require_usable();
    return world_.run_guarded("send",
                              [&] { return messages_.send(*host_group_, tensor, to, tag); });
}

std::shared_ptr<PendingMessage> Channel::receive(at::Tensor tensor, int from, std::int64_t tag) {
    world_.require_usable();
    auto message = messages_.receive(std::move(tensor), from, tag);
    progress();
    return message;
}

void Channel::progress() {
    world_.run_guarded("receive", [&] {
        const std::string problem = messages_.progress(*host_group_);
        if (!problem.empty()) world_.fail(problem);
    });
}

bool Channel::is_complete(PendingMessage& message) {
    world_.poll();
    return message.is_complete();
}

void Channel::wait(PendingMessage& message) {
    using Clock = std::chrono::steady_clock;
    world_.require_usable();
    const auto deadline = Clock::now() + options_.group.timeout;
    auto pause = std::chrono::microseconds(20);
    while (!is_complete(message)) {
        if (Clock::now() > deadline)
            world_.fail(message.describe() + " was not complete within " +
                        format_seconds(options_.group.timeout) +
                        "; the other rank hangs, or does not take part in it");
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(5000));
    }
    world_.run_guarded(message.describe(), [&] { message.check(); });
}

void Channel::shutdown() {
    if (cuda_group_) cuda_group_->shutdown();
    if (host_group_) host_group_->shutdown();
}

void Channel::abort() noexcept {
    try {
        if (cuda_group_) cuda_group_->abort();
        if (host_group_) host_group_->abort();
    } catch (...) {
        // The connections are given up in any case; there is nothing left to clean up.
    }
}

}  // namespace helioray::detail
