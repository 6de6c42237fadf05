// SPDX-License-Identifier: MIT
// Checks of messages between ranks, texts, and fused reductions.
#include "distributed/differentiable/gradients.h"
#include "distributed/tensors/collectives.h"
#include "distributed/tensors/point_to_point.h"
#include "tests/distributed/rank_scenarios.h"
#include "tests/distributed/tensors/collective_checks.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <map>

namespace helioray::test {

void check_messages(const ProcessGroup& group) {
    const int rank = group.rank(), size = group.size();
    if (size == 1) {
        const at::Tensor number = at::zeros({1}, at::kLong);
        catch_message<std::invalid_argument>([&] { send(group, number, 0); },
                                             "a message to itself");
        return;
    }
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    // Send a token around the ring with blocking calls.
    at::Tensor token = at::zeros({3}, at::kDouble);
    if (rank == 0) {
        send(group, make_values(0, {3}), next, 5);
        receive(group, token, before, 5);
    } else {
        receive(group, token, before, 5);
        send(group, token, next, 5);
    }
    expect(token.equal(make_values(0, {3})), "a token goes round");

    // Non-blocking messages that are large enough to fill every buffer. Two of them with one tag
    // are received before they are sent, the third one afterwards. Every rank waits for its sends
    // first.
    const auto body = [](int from, int number) { return make_values(from, {400'000 + number}); };
    std::vector<Transfer> sent, received;
    received.push_back(receive_async(group, before, 4));
    received.push_back(receive_async(group, before, 4));
    expect(!received[0].is_complete(), "nothing was sent yet");
    barrier(group);
    for (int number = 0; number < 3; ++number)
        sent.push_back(send_async(group, body(rank, number), next, number == 2 ? 9 : 4));
    at::Tensor last = at::empty({400'002}, at::kDouble);
    received.push_back(receive_async(group, last, before, 9));
    for (auto& transfer : sent) transfer.wait();
    received[2].wait();
    expect(last.equal(body(before, 2)), "message of tag 9");
    expect(received[1].tensor().equal(body(before, 1)), "second message of tag 4");
    expect(received[0].tensor().equal(body(before, 0)), "first message of tag 4");
    expect(received[1].is_complete(), "a message that was waited for is complete");

    // Receive from any rank; one message is strided with half precision, one is empty.
    if (rank == 0) {
        std::vector<bool> seen(size, false);
        for (int i = 1; i < size; ++i) {
            auto transfer = receive_async(group, kAnyRank, 1);
            const int from = transfer.peer();
            expect(!seen[from], "one message from every rank");
            seen[from] = true;
            expect(transfer.tensor().equal(make_values(from, {2, from}, at::kHalf).t()),
                   "message from any rank");
        }
    } else {
        send(group, make_values(rank, {2, rank}, at::kHalf).t(), 0, 1);
    }
    if (rank == 1) send(group, at::empty({0, 7}, at::kInt), 0);
    if (rank == 0)
        expect(receive(group, 1).sizes() == std::vector<std::int64_t>{0, 7}, "an empty message");
}

void check_texts(const ProcessGroup& group) {
    const auto text = [](int r) { return std::string(r, 'x') + std::string("\0\n;", 3); };
    const auto texts = all_gather_strings(group, text(group.rank()));
    expect(static_cast<int>(texts.size()) == group.size(), "number of texts");
    for (int r = 0; r < group.size(); ++r) {
        expect(texts[r] == text(r), "all_gather_strings");
        expect(broadcast_string(group, text(group.rank()), r) == text(r), "broadcast_string");
    }
}

void check_fused(const ProcessGroup& group) {
    const int rank = group.rank(), size = group.size();
    const auto make_tensors = [](int r) {
        return std::map<std::string, at::Tensor>{{"b", make_values(r, {2, 3}, at::kFloat)},
                                                 {"a", make_values(r, {4}, at::kDouble)},
                                                 {"half", make_values(r, {2}, at::kHalf)},
                                                 {"strided", make_values(r, {2, 3}).t()},
                                                 {"count", make_values(r, {3}, at::kInt)},
                                                 {"exact", make_values(r, {1}, at::kLong)}};
    };
    auto tensors = make_tensors(rank);
    // A view shows that the reduction is in place.
    const at::Tensor view = tensors["b"].view({-1});
    fused_all_reduce(group, tensors);
    const double shift = 100.0 * (size * (size - 1) / 2);
    for (const auto& [name, first] : make_tensors(0)) {
        expect(tensors[name].scalar_type() == first.scalar_type(), "type of fused " + name);
        expect(tensors[name].equal(first.mul(size).add(shift)), "fused_all_reduce of " + name);
    }
    expect(view.equal(tensors["b"].view({-1})), "fused_all_reduce in place");
    std::map<std::string, at::Tensor> highest{{"x", make_values(rank, {2})}};
    fused_all_reduce(group, highest, Reduction::maximum);
    expect(highest["x"].equal(make_values(size - 1, {2})), "fused maximum");
}

}  // namespace helioray::test
