// SPDX-License-Identifier: MIT
// NCCL groups: their operations, and how they end where NCCL hangs or fails. The ranks are threads.
#include "distributed/tensors/transport.h"
#include "tests/emulated_cuda/cuda_runtime.h"
#include "tests/support/catch2.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace helioray;
using namespace helioray::detail;

extern "C" Group* helioray_nccl_group(const GroupOptions& group,
                                      int cuda_index,
                                      const BroadcastText& share,
                                      const WaitCallback& wait_callback);

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// What goes wrong, in this scope.
class NcclFault {
  public:
    explicit NcclFault(const char* name) { ::setenv("HELIORAY_EMULATED_NCCL", name, 1); }
    ~NcclFault() { ::unsetenv("HELIORAY_EMULATED_NCCL"); }
    NcclFault(const NcclFault&) = delete;
    NcclFault& operator=(const NcclFault&) = delete;
};

/// What became of one rank.
struct Outcome {
    std::string error;  // empty: none
    double seconds = 0.0;
};

using RankWork = std::function<void(Group& group, int rank)>;

/// Connects a group of `size` threads, and runs `work` on each. Their streams and events are gone
/// afterwards, unless `lost`.
std::vector<Outcome> run(int size,
                         milliseconds timeout,
                         const RankWork& work,
                         const WaitCallback& wait_callback = {},
                         bool lost = false) {
    const size_t objects = emulated_objects().count();
    std::promise<std::string> identity;
    const std::shared_future<std::string> shared = identity.get_future().share();
    std::vector<Outcome> outcomes(static_cast<size_t>(size));
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < size; ++rank) {
        ranks.emplace_back([&, rank] {
            Outcome& outcome = outcomes[static_cast<size_t>(rank)];
            const auto start = Clock::now();
            try {
                GroupOptions options;
                options.name = "test";
                options.rank = rank;
                for (int other = 0; other < size; ++other) options.ranks.push_back(other);
                options.timeout = timeout;
                const auto share = [&](const std::string& mine) {
                    if (rank == 0) identity.set_value(mine);
                    if (shared.wait_for(timeout) != std::future_status::ready)
                        throw TransportError("no identity");
                    return shared.get();
                };
                const std::unique_ptr<Group> group(
                    helioray_nccl_group(options, rank, share, wait_callback));
                work(*group, rank);
            } catch (const std::exception& error) {
                outcome.error = error.what();
            }
            outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        });
    }
    for (auto& rank : ranks) rank.join();
    CHECK((emulated_objects().count() == objects) == !lost);
    return outcomes;
}

void expect(bool condition, const char* what) {
    if (!condition) throw std::runtime_error(what);
}

void add_up(Group& group, int) {
    at::Tensor sums = at::full({100}, 1, at::kLong);
    group.all_reduce(sums, Reduction::sum, {});
}

void add_up_and_end(Group& group, int rank) {
    add_up(group, rank);
    group.shutdown();
}

/// Every rank fails within `most_s` seconds, with this text.
void check_failure(const char* fault,
                   const std::string& text,
                   const RankWork& work = add_up_and_end,
                   double most_s = 4.0) {
    const NcclFault wrong(fault);
    for (const Outcome& outcome : run(2, milliseconds(400), work)) {
        CAPTURE(fault);
        CHECK_THAT(outcome.error, ContainsSubstring(text));
        CHECK(outcome.seconds < most_s);
    }
}

}  // namespace

TEST_CASE("operations of an NCCL group") {
    for (const int size : {2, 3}) {
        const auto outcomes = run(size, milliseconds(10'000), [size](Group& group, int rank) {
            const int64_t large = (int64_t{1} << 60) / size + 1;
            at::Tensor sums = at::arange(1000, at::kLong).add(large + rank);
            group.all_reduce(sums, Reduction::sum, {});
            expect(sums.equal(
                       at::arange(1000, at::kLong).add(large).mul(size).add(size * (size - 1) / 2)),
                   "sums");
            for (const auto type : {at::kInt, at::kFloat, at::kDouble}) {
                at::Tensor most = at::full({5}, rank, type), least = at::full({5}, rank, type);
                group.all_reduce(most, Reduction::maximum, {});
                group.all_reduce(least, Reduction::minimum, {});
                expect(most.equal(at::full({5}, size - 1, type)), "maximum");
                expect(least.equal(at::full({5}, 0, type)), "minimum");
            }
            at::Tensor on_one = at::full({3}, rank + 1, at::kDouble);
            group.reduce(on_one, 1, Reduction::sum, {});
            if (rank == 1)
                expect(on_one.equal(at::full({3}, size * (size + 1) / 2, at::kDouble)), "reduce");
            at::Tensor copy = at::full({3}, 10 * rank, at::kByte);
            group.broadcast(copy, 1, {});
            expect(copy.equal(at::full({3}, 10, at::kByte)), "broadcast");
            at::Tensor all = at::empty({2 * size}, at::kByte);
            group.all_gather(all, at::full({2}, rank, at::kByte), {});
            for (int r = 0; r < size; ++r)
                expect(all.narrow(0, 2 * r, 2).equal(at::full({2}, r, at::kByte)), "all_gather");
            // Rank r sends r + s elements to rank s, each 10 r + s.
            std::vector<int64_t> sent, received;
            std::vector<at::Tensor> parts, wanted;
            for (int other = 0; other < size; ++other) {
                sent.push_back(rank + other);
                received.push_back(other + rank);
                parts.push_back(at::full({rank + other}, 10 * rank + other, at::kByte));
                wanted.push_back(at::full({rank + other}, 10 * other + rank, at::kByte));
            }
            const at::Tensor mine = at::cat(parts);
            at::Tensor found = at::empty_like(mine);
            group.all_to_all(found, mine, received, sent, {});
            expect(found.equal(at::cat(wanted)), "all_to_all");
            group.shutdown();
        });
        for (const Outcome& outcome : outcomes) CHECK(outcome.error.empty());
    }
}

TEST_CASE("an NCCL group that does not start ends within its time-out") {
    {
        const NcclFault wrong("hang_id");
        const auto outcomes = run(2, milliseconds(400), add_up_and_end);
        CHECK_THAT(outcomes[0].error,
                   ContainsSubstring("connecting the group did not end within 0.4"));
        CHECK(outcomes[1].error == "no identity");
        CHECK(outcomes[0].seconds < 4.0);
    }
    check_failure("hang_start", "connecting the group did not end within 0.4");
    check_failure("hang_in_start", "connecting the group did not end within 0.4");
    check_failure("fail_start", "connecting the group: unhandled system error");
}

TEST_CASE("an NCCL operation that hangs or fails is an error of the call") {
    check_failure("hang_call", "all_reduce did not end within 0.4");
    check_failure("fail_call", "all_reduce: unhandled system error");
    check_failure("fail_later", "all_reduce: remote process exited");
    // The group is unusable afterwards, and says so at once.
    check_failure("fail_call", "the group is closed", [](Group& group, int rank) {
        try {
            add_up(group, rank);
        } catch (const TransportError&) {
            add_up(group, rank);
        }
    });
}

TEST_CASE("an NCCL operation that fails does not use its tensors any more") {
    check_failure("slow_abort", "all_reduce did not end within 0.4", [](Group& group, int rank) {
        try {
            add_up(group, rank);
        } catch (const TransportError&) {
            // The ranks share the count of the operations.
            expect(emulated_operations() < 2, "the device still uses the tensors");
            throw;
        }
    });
}

TEST_CASE("NCCL must not wait without a time-out") {
    ::setenv("NCCL_COMM_BLOCKING", "1", 1);
    check_failure("", "NCCL_COMM_BLOCKING=1");
    ::setenv("NCCL_COMM_BLOCKING", "0", 1);
    for (const Outcome& outcome : run(2, milliseconds(10'000), add_up_and_end))
        CHECK(outcome.error.empty());
    ::unsetenv("NCCL_COMM_BLOCKING");
}

TEST_CASE("a rank that is missing does not hold the others up") {
    const auto outcomes = run(2, milliseconds(400), [](Group& group, int rank) {
        if (rank == 0) add_up(group, rank);
    });
    CHECK_THAT(outcomes[0].error, ContainsSubstring("all_reduce did not end within 0.4"));
    CHECK(outcomes[1].error.empty());
}

TEST_CASE("the end of an NCCL group has a time-out, and an abort too") {
    check_failure("hang_end", "closing the group did not end within 0.4");
    // Without a word of its own: the cause is thrown.
    const NcclFault wrong("hang_abort");
    const RankWork add_up_and_abort = [](Group& group, int rank) {
        add_up(group, rank);
        group.abort();
    };
    for (const Outcome& outcome : run(2, milliseconds(10'000), add_up_and_abort, {}, true)) {
        CHECK(outcome.error.empty());
        CHECK(outcome.seconds < 4.0);
    }
}

TEST_CASE("a wait for NCCL can be left") {
    for (const char* fault : {"hang_start", "hang_in_start", "hang_call"}) {
        const NcclFault wrong(fault);
        const auto start = Clock::now();
        const WaitCallback wait_callback = [&] {
            if (Clock::now() - start > milliseconds(300)) throw std::runtime_error("interrupted");
        };
        const auto outcomes = run(
            2,
            milliseconds(60'000),
            [&](Group& group, int) {
                at::Tensor sums = at::full({100}, 1, at::kLong);
                group.all_reduce(sums, Reduction::sum, wait_callback);
            },
            wait_callback);
        for (const Outcome& outcome : outcomes) {
            CHECK(outcome.error == "interrupted");
            CHECK(outcome.seconds < 4.0);
        }
    }
}
