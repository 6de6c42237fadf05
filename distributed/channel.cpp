// SPDX-License-Identifier: MIT
// One group's meetings and data.
#include "distributed/channel.h"

#include "distributed/world.h"

#include <ATen/core/Tensor.h>

#include <thread>

namespace helioray::detail {

Channel::Channel(World& world, const Store& store, ChannelOptions options)
    : world_(world),
      store_(store),
      options_(std::move(options)),
      meeting_(world, store.with_prefix("meeting"), options_.group.ranks, options_.group.rank),
      book_(store.with_prefix("messages"), options_.group.rank, size()) {
    host_group_ = Group::gloo(store_.with_prefix("gloo"), options_.group, options_.address);
    if (options_.nccl_index)
        cuda_group_ = Group::nccl(store_.with_prefix("nccl"), options_.group, *options_.nccl_index);
}

std::vector<std::string> Channel::meet(const std::string& operation, const std::string& payload) {
    return meet(operation, payload, options_.group.timeout);
}

std::vector<std::string> Channel::meet(const std::string& operation,
                                       const std::string& payload,
                                       std::chrono::milliseconds timeout) {
    return meeting_.arrive(operation, payload, timeout);
}

void Channel::agree(const std::string& operation) {
    if (options_.check_calls) {
        meet(operation);
    } else {
        world_.require_usable();
        world_.check_peers();
    }
}

void Channel::run(const std::string& operation,
                  const at::Tensor& like,
                  const std::function<void(Group&, const WhileWaiting&)>& call) {
    world_.guarded(operation, [&] {
        call(like.is_cuda() && cuda_group_ ? *cuda_group_ : *host_group_,
             [this] { world_.while_waiting(); });
    });
}

at::Tensor Channel::on_wire(const at::Tensor& tensor) const {
    // Gloo works on the host; the copies are exact.
    return tensor.is_cuda() && !cuda_group_ ? tensor.cpu() : tensor;
}

std::shared_ptr<PendingMessage> Channel::send(const at::Tensor& tensor, int to, std::int64_t tag) {
    world_.require_usable();
    return world_.guarded("send", [&] { return book_.send(*host_group_, tensor, to, tag); });
}

std::shared_ptr<PendingMessage> Channel::receive(at::Tensor tensor, int from, std::int64_t tag) {
    world_.require_usable();
    auto message = book_.receive(std::move(tensor), from, tag);
    progress();
    return message;
}

void Channel::progress() {
    world_.guarded("receive", [&] {
        const std::string problem = book_.progress(*host_group_);
        if (!problem.empty()) world_.fail(problem);
    });
}

bool Channel::is_over(PendingMessage& message) {
    world_.while_waiting();
    return message.is_over();
}

void Channel::wait(PendingMessage& message) {
    using Clock = std::chrono::steady_clock;
    world_.require_usable();
    const auto deadline = Clock::now() + options_.group.timeout;
    auto pause = std::chrono::microseconds(20);
    while (!is_over(message)) {
        if (Clock::now() > deadline)
            world_.fail(message.text() + " was not over within " +
                        seconds_text(options_.group.timeout) +
                        "; the other rank hangs, or never asked for it");
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(5000));
    }
    world_.guarded(message.text(), [&] { message.check(); });
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
        // Leaving is all that is left to do.
    }
}

}  // namespace helioray::detail
