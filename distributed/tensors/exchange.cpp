// SPDX-License-Identifier: MIT
// Gather and scatter, and the exchange of texts.
#include "distributed/ranks/group_state.h"
#include "distributed/store/wire.h"
#include "distributed/tensors/channel.h"
#include "distributed/tensors/collectives.h"
#include "distributed/tensors/tensor_checks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace helioray {
namespace {

using detail::Channel;
using detail::TensorUse;
using Shape = std::vector<std::int64_t>;

std::int64_t count_bytes(const Shape& shape, std::size_t item_size) {
    std::int64_t count = static_cast<std::int64_t>(item_size);
    for (const auto size : shape) count *= size;
    return count;
}

/// Sends parts[r] to rank r (nothing if undefined) and returns the received tensors, indexed by
/// rank and of the given shapes. Collective; the ranks must have agreed on the shapes before.
std::vector<at::Tensor> exchange(Channel& channel,
                                 const std::string& operation,
                                 const std::vector<at::Tensor>& parts,
                                 const std::vector<Shape>& shapes,
                                 const at::TensorOptions& options) {
    const at::TensorOptions bytes = options.dtype(at::kByte);
    std::vector<at::Tensor> packed;
    std::vector<std::int64_t> send_sizes, receive_sizes;
    for (const auto& part : parts) {
        send_sizes.push_back(part.defined() ? static_cast<std::int64_t>(part.nbytes()) : 0);
        if (send_sizes.back() > 0)
            packed.push_back(detail::view_as_bytes(detail::detach_contiguous(part)));
    }
    const std::size_t item_size = options.dtype().itemsize();
    for (const auto& shape : shapes) receive_sizes.push_back(count_bytes(shape, item_size));

    const at::Tensor send =
        channel.make_sendable(packed.empty() ? at::empty({0}, bytes) : at::cat(packed));
    const std::int64_t total =
        std::accumulate(receive_sizes.begin(), receive_sizes.end(), std::int64_t{0});
    at::Tensor received = at::empty({total}, bytes.device(send.device()));
    channel.run(operation, send, [&](detail::Group& group, const detail::WaitCallback& wait) {
        group.all_to_all(received, send, receive_sizes, send_sizes, wait);
    });

    received = received.to(options.device());
    std::vector<at::Tensor> results;
    std::int64_t begin = 0;
    for (std::size_t rank = 0; rank < shapes.size(); ++rank) {
        at::Tensor result = at::empty(shapes[rank], options);
        if (receive_sizes[rank] > 0)
            detail::view_as_bytes(result).copy_(received.narrow(0, begin, receive_sizes[rank]));
        begin += receive_sizes[rank];
        results.push_back(std::move(result));
    }
    return results;
}

/// Throws std::invalid_argument unless the list has one valid tensor per rank, all of one type.
void check_list(const detail::GroupState& state,
                const std::string& operation,
                const std::vector<at::Tensor>& tensors) {
    if (static_cast<int>(tensors.size()) != state.size())
        throw std::invalid_argument(operation + ": " + std::to_string(tensors.size()) +
                                    " tensors for a group of " + std::to_string(state.size()) +
                                    " ranks; pass one tensor per rank");
    for (const auto& tensor : tensors) {
        detail::check_tensor(tensor, operation, TensorUse::move, state.cuda_index);
        if (detail::describe_type(tensor) != detail::describe_type(tensors.front()))
            throw std::invalid_argument(operation + ": the tensors of the list are " +
                                        detail::describe_type(tensors.front()) + " and " +
                                        detail::describe_type(tensor) +
                                        "; give all of them one type and device");
    }
}

/// Encodes type, device and shapes of the tensors for ranks that do not have them.
std::string encode_shapes(const std::vector<at::Tensor>& tensors) {
    std::string text = std::to_string(static_cast<int>(tensors.front().scalar_type())) +
                       (tensors.front().is_cuda() ? " 1" : " 0");
    for (const auto& tensor : tensors) text += ";" + detail::format_shape(tensor.sizes());
    return text;
}

std::vector<std::string> split_fields(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream stream(text + ";");
    for (std::string field; std::getline(stream, field, ';');) found.push_back(field);
    return found;
}

}  // namespace

std::vector<at::Tensor> gather(const ProcessGroup& group, const at::Tensor& tensor, int root) {
    const auto& state = group.state();
    detail::check_tensor(tensor, "gather", TensorUse::move, state.cuda_index);
    state.require_member("gather", root);
    if (state.alone()) return {tensor.detach().clone()};
    const auto channel = state.connected();
    const std::string operation =
        "gather to rank " + std::to_string(root) + " of " + detail::describe_type(tensor);
    const auto texts = channel->rendezvous(operation, detail::format_shape(tensor.sizes()));
    const bool is_root = state.rank == root;
    std::vector<at::Tensor> parts(state.size());
    parts[root] = tensor;
    std::vector<Shape> shapes;
    for (const auto& text : texts) shapes.push_back(is_root ? detail::parse_shape(text) : Shape{0});
    auto all = exchange(*channel, operation, parts, shapes, tensor.options());
    if (!is_root) all.clear();
    return all;
}

at::Tensor scatter(const ProcessGroup& group, const std::vector<at::Tensor>& tensors, int root) {
    const auto& state = group.state();
    state.require_member("scatter", root);
    const bool is_root = state.rank == root;
    if (is_root) check_list(state, "scatter", tensors);
    if (state.alone()) return tensors[0].detach().clone();
    const auto channel = state.connected();
    const std::string operation = "scatter from rank " + std::to_string(root);
    const auto fields_of_root =
        split_fields(channel->rendezvous(operation, is_root ? encode_shapes(tensors) : "")[root]);

    std::istringstream type_text(fields_of_root[0]);
    int type = 0, cuda = 0;
    type_text >> type >> cuda;
    auto options = at::TensorOptions().dtype(static_cast<at::ScalarType>(type));
    if (cuda && state.cuda_index)
        options = options.device(at::kCUDA, static_cast<at::DeviceIndex>(*state.cuda_index));
    std::vector<Shape> shapes(state.size(), Shape{0});
    shapes[root] = detail::parse_shape(fields_of_root[1 + state.rank]);
    const auto parts = is_root ? tensors : std::vector<at::Tensor>(state.size());
    return exchange(*channel, operation, parts, shapes, options)[root];
}

namespace {

/// Returns the size of the longest text that is exchanged through the store, whose answer holds the
/// texts of all ranks in one frame of limited size. Longer texts are sent through the group.
std::size_t compute_max_store_text(int ranks) {
    constexpr std::size_t kLongText = 1 << 20;
    return std::min(kLongText, detail::kMaxFrameBytes / 2 / static_cast<std::size_t>(ranks));
}

/// Bytes of a broadcast text that the store sends to all ranks together. A longer text is sent
/// through the group.
constexpr std::size_t kMaxBroadcastOfStore = std::size_t{1} << 20;

at::Tensor to_tensor(const std::string& text) {
    at::Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    std::copy(text.begin(), text.end(), bytes.data_ptr<std::uint8_t>());
    return bytes;
}

std::string to_text(const at::Tensor& bytes) {
    const auto* begin = reinterpret_cast<const char*>(bytes.data_ptr<std::uint8_t>());
    return {begin, begin + bytes.numel()};
}

}  // namespace

std::vector<std::string> all_gather_strings(const ProcessGroup& group, const std::string& mine) {
    const auto& state = group.state();
    if (state.alone()) return {mine};
    const auto channel = state.connected();
    const bool is_long = mine.size() > compute_max_store_text(state.size());
    std::string payload(1, is_long ? 'L' : 'S');
    payload += is_long ? std::to_string(mine.size()) : mine;
    auto texts = channel->rendezvous("all_gather_strings", payload);
    for (int rank = 0; rank < state.size(); ++rank) {
        std::string& text = texts[rank];
        if (text.front() == 'S') {
            text.erase(0, 1);
            continue;
        }
        const auto length = static_cast<std::int64_t>(std::stoll(text.substr(1)));
        at::Tensor bytes = rank == state.rank ? to_tensor(mine) : at::empty({length}, at::kByte);
        channel->copy_to_all("all_gather_strings", bytes, rank);
        text = to_text(bytes);
    }
    return texts;
}

std::string broadcast_string(const ProcessGroup& group, const std::string& mine, int root) {
    const auto& state = group.state();
    state.require_member("broadcast_string", root);
    if (state.alone()) return mine;
    const auto channel = state.connected();
    const bool is_root = state.rank == root;
    const std::string operation = "broadcast_string from rank " + std::to_string(root);
    const bool is_long = is_root && mine.size() * state.size() > kMaxBroadcastOfStore;
    const std::string payload = !is_root  ? ""
                                : is_long ? 'L' + std::to_string(mine.size())
                                          : 'S' + mine;
    const std::string text = channel->rendezvous(operation, payload)[root];
    if (text.front() == 'S') return text.substr(1);
    const auto length = static_cast<std::int64_t>(std::stoll(text.substr(1)));
    at::Tensor bytes = is_root ? to_tensor(mine) : at::empty({length}, at::kByte);
    channel->copy_to_all(operation, bytes, root);
    return is_root ? mine : to_text(bytes);
}

}  // namespace helioray
