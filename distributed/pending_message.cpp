// SPDX-License-Identifier: MIT
// Announcement, matching and start of messages.
#include "distributed/pending_message.h"

#include "distributed/tensor_checks.h"

#include <ATen/ops/empty.h>

#include <set>
#include <sstream>
#include <vector>

namespace helioray::detail {
namespace {

/// Tags of the wire are 31 bits wide; far fewer messages are under way.
constexpr int kWireTags = 1 << 30;

std::string announcement_of(const at::Tensor& tensor, int wire_tag) {
    std::ostringstream text;
    text << wire_tag << ' ' << static_cast<int>(tensor.scalar_type());
    for (const auto size : tensor.sizes()) text << ' ' << size;
    return text.str();
}

}  // namespace

std::string PendingMessage::text() const {
    return std::string("the message ") + (incoming_ ? "from " : "to ") +
           (peer_ < 0 ? "any rank" : "rank " + std::to_string(peer_) + " of the group") + " (tag " +
           std::to_string(tag_) + ")";
}

void PendingMessage::check() {
    if (message_) message_->check();
    message_.reset();
    if (incoming_ && target_.defined()) target_.copy_(wire_);
}

MessageBook::MessageBook(Store store, int rank, int size)
    : store_(std::move(store)), rank_(rank), size_(size) {}

std::string MessageBook::key(int from, int to, std::int64_t tag, std::int64_t number) const {
    return std::to_string(from) + "/" + std::to_string(to) + "/" + std::to_string(tag) + "/" +
           std::to_string(number);
}

std::shared_ptr<PendingMessage> MessageBook::send(Group& group,
                                                  const at::Tensor& tensor,
                                                  int to,
                                                  std::int64_t tag) {
    auto message = std::make_shared<PendingMessage>();
    message->peer_ = to;
    message->tag_ = tag;
    message->wire_ = plain(tensor).cpu();
    message->matched_ = true;
    const int wire_tag = wire_tags_[to]++ % kWireTags;
    store_.set(key(rank_, to, tag, sent_[{to, tag}]++), announcement_of(message->wire_, wire_tag));
    if (message->wire_.numel() > 0)
        message->message_ = group.send(bytes_of(message->wire_), to, wire_tag);
    return message;
}

std::shared_ptr<PendingMessage> MessageBook::receive(at::Tensor tensor,
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
    awaited_.push_back(message);
    return message;
}

std::string MessageBook::progress(Group& group) {
    // Among messages of one sender and tag, who asked first is served first.
    std::set<Line> taken;
    for (auto item = awaited_.begin(); item != awaited_.end();) {
        const auto message = item->lock();
        if (!message) {
            item = awaited_.erase(item);
            continue;
        }
        std::vector<int> senders;
        for (int from = 0; from < size_; ++from)
            if (from != rank_ && (message->peer_ < 0 || message->peer_ == from))
                senders.push_back(from);
        for (const int from : senders) {
            const Line line{from, message->tag_};
            if (taken.count(line)) continue;
            const std::string name = key(from, rank_, message->tag_, received_[line]);
            if (!store_.has(name)) continue;
            ++received_[line];
            message->peer_ = from;
            const std::string announcement = store_.get(name);
            store_.erase(name);
            const std::string problem = start(group, *message, announcement);
            if (!problem.empty()) return problem;
            break;
        }
        if (message->matched_) {
            item = awaited_.erase(item);
            continue;
        }
        for (const int from : senders) taken.insert({from, message->tag_});
        ++item;
    }
    return {};
}

std::string MessageBook::start(Group& group,
                               PendingMessage& message,
                               const std::string& announcement) {
    std::istringstream text(announcement);
    int wire_tag = 0, type = 0;
    text >> wire_tag >> type;
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = 0; text >> size;) sizes.push_back(size);
    const auto scalar_type = static_cast<at::ScalarType>(type);

    const at::Tensor& wanted = message.tensor();
    if (wanted.defined() && (wanted.scalar_type() != scalar_type || wanted.sizes() != sizes))
        return message.text() + " is " + c10::toString(scalar_type) + " [" + describe_shape(sizes) +
               "], and " + c10::toString(wanted.scalar_type()) + " [" +
               describe_shape(wanted.sizes()) + "] is awaited";
    if (!message.wire_.defined()) message.wire_ = at::empty(sizes, scalar_type);
    message.matched_ = true;
    if (message.wire_.numel() == 0) return {};
    at::Tensor bytes = bytes_of(message.wire_);
    message.message_ = group.receive(bytes, message.peer_, wire_tag);
    return {};
}

}  // namespace helioray::detail
