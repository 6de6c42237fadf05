// SPDX-License-Identifier: MIT
// Messages: checks of the arguments, and handles.
#include "distributed/tensors/point_to_point.h"

#include "distributed/ranks/group_state.h"
#include "distributed/tensors/channel.h"
#include "distributed/tensors/tensor_checks.h"

#include <ATen/core/Tensor.h>

namespace helioray {
namespace {

using detail::TensorUse;

/// Returns the channel of the group after checking `peer`, which may be kAnyRank to receive.
std::shared_ptr<detail::Channel> channel_to(const detail::GroupState& state,
                                            const std::string& operation,
                                            int peer,
                                            std::int64_t tag) {
    if (tag < 0)
        throw std::invalid_argument(operation + ": tag " + std::to_string(tag) +
                                    " is negative; tags start at 0");
    if (peer != kAnyRank || operation == "send") state.require_member(operation, peer);
    if (peer == state.rank || state.alone())
        throw std::invalid_argument(operation + ": rank " + std::to_string(state.rank) +
                                    " of group '" + state.name +
                                    "' cannot exchange messages with itself; choose another rank");
    return state.connected();
}

}  // namespace

bool Transfer::is_complete() {
    const auto channel = channel_.lock();
    return waited_ || (channel ? channel->is_complete(*message_) : message_->is_complete());
}

void Transfer::wait() {
    if (waited_) return;
    const auto channel = channel_.lock();
    if (!channel)
        throw std::logic_error(message_->describe() +
                               " cannot complete: its environment was closed before wait()");
    channel->wait(*message_);
    waited_ = true;
}

at::Tensor Transfer::tensor() {
    wait();
    return message_->tensor();
}

int Transfer::peer() {
    wait();
    return message_->peer();
}

Transfer send_async(const ProcessGroup& group, const at::Tensor& tensor, int to, std::int64_t tag) {
    const auto& state = group.state();
    detail::check_tensor(tensor, "send", TensorUse::move, state.cuda_index);
    const auto channel = channel_to(state, "send", to, tag);
    return {channel, channel->send(tensor, to, tag)};
}

Transfer receive_async(const ProcessGroup& group, at::Tensor& tensor, int from, std::int64_t tag) {
    const auto& state = group.state();
    detail::check_tensor(tensor, "receive", TensorUse::move, state.cuda_index);
    const auto channel = channel_to(state, "receive", from, tag);
    return {channel, channel->receive(tensor, from, tag)};
}

Transfer receive_async(const ProcessGroup& group, int from, std::int64_t tag) {
    const auto channel = channel_to(group.state(), "receive", from, tag);
    return {channel, channel->receive({}, from, tag)};
}

void send(const ProcessGroup& group, const at::Tensor& tensor, int to, std::int64_t tag) {
    send_async(group, tensor, to, tag).wait();
}

void receive(const ProcessGroup& group, at::Tensor& tensor, int from, std::int64_t tag) {
    receive_async(group, tensor, from, tag).wait();
}

at::Tensor receive(const ProcessGroup& group, int from, std::int64_t tag) {
    return receive_async(group, from, tag).tensor();
}

}  // namespace helioray
