// SPDX-License-Identifier: MIT
// Work queues with real ranks: each item is taken once, and a slow rank takes less.
#include "distributed/ranks/environment.h"
#include "distributed/ranks/work_queue.h"
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <string>

using namespace helioray;
using namespace helioray::test;

TEST_CASE("one rank takes all items in order") {
    DistributedEnvironment environment(DistributedOptions{});
    WorkQueue queue(environment, "a", std::vector<double>(10, 1.0));
    std::int64_t expected = 0;
    while (const auto range = queue.next()) {
        CHECK(range->first == expected);
        CHECK(range->second > range->first);
        expected = range->second;
    }
    CHECK(expected == 10);
    CHECK_FALSE(queue.next());
    CHECK(environment.fetch_add("queue/a", 0) == 0);
    CHECK(WorkQueue(environment, "b", {1.0}).next() == std::pair<std::int64_t, std::int64_t>{0, 1});
    CHECK_FALSE(WorkQueue(environment, "c", {}).next());
}

TEST_CASE("several ranks take every item once") {
    for (const int size : {2, 4}) {
        const auto ranks = run_world(size, {"draws", "100"});
        for (const auto& rank : ranks) {
            CAPTURE(size, rank.output);
            CHECK(rank.exit_code == 0);
        }
    }
}

TEST_CASE("a rank of half the speed takes half as much") {
    // 300 items take 4 ms each, 8 ms on rank 1. The ideal number of items of rank 1 is a third of
    // them.
    const auto ranks = run_world(2, {"draws_slowly", "300"});
    for (const auto& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 0);
    }
    const auto items = [](const std::string& text) {
        const auto at = text.find("items=");
        REQUIRE(at != std::string::npos);
        return std::stoi(text.substr(at + 6));
    };
    const int fast = items(ranks[0].output), slow = items(ranks[1].output);
    CHECK(fast + slow == 300);
    // In units of one item on the fast rank, 200 is ideal, and 15 % more is allowed.
    CHECK(fast < 230);
    CHECK(2 * slow < 230);
}

TEST_CASE("a queue whose rank dies fails on the others") {
    const auto ranks = run_world(2, {"dies_between_draws"});
    CAPTURE(ranks[0].output);
    CHECK(ranks[0].exit_code == 3);
    CHECK_THAT(ranks[0].output,
               ContainsSubstring("rank 1 on host ") && ContainsSubstring("is gone"));
}
