// SPDX-License-Identifier: MIT
// Texts as bytes.
#include "distributed/strings.h"

#include "distributed/channel.h"
#include "distributed/collectives.h"
#include "distributed/group_state.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>

namespace helioray {
namespace {

/// The store takes values of a few megabytes; longer texts travel through the group.
constexpr std::size_t kLongText = 1 << 20;

at::Tensor tensor_of(const std::string& text) {
    at::Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    std::copy(text.begin(), text.end(), bytes.data_ptr<std::uint8_t>());
    return bytes;
}

std::string text_of(const at::Tensor& bytes) {
    const auto* begin = reinterpret_cast<const char*>(bytes.data_ptr<std::uint8_t>());
    return {begin, begin + bytes.numel()};
}

}  // namespace

std::vector<std::string> all_gather_strings(const ProcessGroup& group, const std::string& mine) {
    const auto& state = group.state();
    if (state.alone()) return {mine};
    const auto channel = state.connected();
    const bool is_long = mine.size() > kLongText;
    std::string payload(1, is_long ? 'L' : 'S');
    payload += is_long ? std::to_string(mine.size()) : mine;
    auto texts = channel->meet("all_gather_strings", payload);
    for (int rank = 0; rank < state.size(); ++rank) {
        std::string& text = texts[rank];
        if (text.front() == 'S') {
            text.erase(0, 1);
            continue;
        }
        const auto length = static_cast<std::int64_t>(std::stoll(text.substr(1)));
        at::Tensor bytes = rank == state.rank ? tensor_of(mine) : at::empty({length}, at::kByte);
        broadcast(group, bytes, rank);
        text = text_of(bytes);
    }
    return texts;
}

std::vector<std::string> gather_strings(const ProcessGroup& group,
                                        const std::string& mine,
                                        int root) {
    std::vector<std::string> texts;
    for (const auto& bytes : gather(group, tensor_of(mine), root)) texts.push_back(text_of(bytes));
    return texts;
}

std::string broadcast_string(const ProcessGroup& group, const std::string& text, int root) {
    // Scattered, since only root knows the length.
    const bool is_root = group.rank() == root;
    return scatter_strings(
        group,
        is_root ? std::vector<std::string>(group.size(), text) : std::vector<std::string>{},
        root);
}

std::string scatter_strings(const ProcessGroup& group,
                            const std::vector<std::string>& texts,
                            int root) {
    std::vector<at::Tensor> bytes;
    if (group.rank() == root)
        for (const auto& text : texts) bytes.push_back(tensor_of(text));
    return text_of(scatter(group, bytes, root));
}

}  // namespace helioray
