// SPDX-License-Identifier: MIT
// The pool of work units: every unit is done once, whatever ranks do.
#include "distributed/ranks/work_pool.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <random>

using helioray::WorkPool;
using helioray::WorkPortion;
using helioray::WorkRange;

namespace {

double unit_cost(std::int64_t) {
    return 1.0;
}

/// Draws without a limit of the cost.
std::optional<WorkRange> draw(WorkPool& pool, int rank, std::int64_t smallest = 1) {
    return pool.draw(rank, 1e18, smallest);
}

/// Delivers a result in one part.
bool deliver(WorkPool& pool, int rank, const std::string& result) {
    return pool.receive(rank, pool.task(), result.size(), 0, result);
}

}  // namespace

TEST_CASE("draws shrink towards the end and are as large as wanted at most") {
    WorkPool pool(2);
    pool.open("task", {{0, 80}}, unit_cost);
    CHECK(pool.draw(0, 3.0, 1) == WorkRange{0, 3});
    CHECK(draw(pool, 1) == WorkRange{3, 12});  // an eighth of 77
    CHECK(pool.draw(0, 0.0, 1) == WorkRange{12, 13});
    CHECK(pool.draw(0, 0.0, 64) == WorkRange{13, 77});
    CHECK(draw(pool, 1) == WorkRange{77, 78});
    CHECK(pool.draw(1, 0.0, 10) == WorkRange{78, 80});
    CHECK_FALSE(draw(pool, 0));
    CHECK_FALSE(pool.is_complete());
}

TEST_CASE("costs of units limit draws") {
    WorkPool pool(1);
    pool.open("task", {{0, 4}}, [](std::int64_t unit) { return unit == 0 ? 10.0 : 1.0; });
    CHECK(pool.draw(0, 2.0, 1) == WorkRange{0, 1});
    CHECK(pool.draw(0, 1e18, 2) == WorkRange{1, 3});
}

TEST_CASE("units of rank 0 are done when it says so") {
    WorkPool pool(1);
    pool.open("task", {{0, 4}, {6, 8}}, unit_cost);
    CHECK(pool.draw(0, 0.0, 4) == WorkRange{0, 4});
    CHECK(pool.draw(0, 0.0, 4) == WorkRange{6, 8});
    pool.complete({0, 1});
    pool.complete({6, 8});
    CHECK_THROWS_AS(pool.complete({6, 8}), std::logic_error);
    CHECK_FALSE(pool.is_complete());
    pool.complete({1, 4});
    CHECK(pool.is_complete());
}

TEST_CASE("a result arrives in parts and counts once") {
    WorkPool pool(2);
    pool.open("task", {{0, 8}}, unit_cost);
    pool.draw(1, 0.0, 3);
    pool.draw(1, 0.0, 5);
    CHECK(pool.receive(1, 1, 6, 0, "abc"));
    CHECK_FALSE(pool.has_portions());
    CHECK(pool.receive(1, 1, 6, 3, "def"));
    REQUIRE(pool.has_portions());
    const auto portions = pool.take_portions();
    REQUIRE(portions.size() == 1);
    CHECK(portions[0].rank == 1);
    CHECK(portions[0].result == "abcdef");
    CHECK(portions[0].units == std::vector<WorkRange>{{0, 3}, {3, 8}});
    CHECK_FALSE(pool.is_complete());
    CHECK_THROWS_AS(deliver(pool, 1, "again"), std::invalid_argument);
    pool.accept(portions[0]);
    CHECK(pool.is_complete());
    CHECK(pool.lose(1) == 0);
    CHECK(pool.is_complete());
}

TEST_CASE("parts that do not belong together are refused") {
    WorkPool pool(2);
    pool.open("task", {{0, 8}}, unit_cost);
    CHECK_THROWS_AS(deliver(pool, 1, "nothing drawn"), std::invalid_argument);
    pool.draw(1, 0.0, 1);
    CHECK_THROWS_AS(pool.receive(1, 2, 3, 0, "abc"), std::invalid_argument);
    CHECK_THROWS_AS(pool.receive(1, 1, 3, 1, "bc"), std::invalid_argument);
    CHECK_THROWS_AS(pool.receive(1, 1, 3, 0, "abcd"), std::invalid_argument);
    CHECK_THROWS_AS(pool.receive(1, 1, 3, 4, ""), std::invalid_argument);
    CHECK_THROWS_AS(pool.receive(1, 1, 3, 0, ""), std::invalid_argument);
    CHECK_THROWS_AS(pool.receive(1, 1, std::size_t{1} << 40, 0, "a"), std::invalid_argument);
    CHECK(pool.receive(1, 1, 3, 0, "a"));
    CHECK_THROWS_AS(pool.receive(1, 1, 3, 2, "c"), std::invalid_argument);
    CHECK_THROWS_AS(pool.receive(1, 1, 4, 1, "b"), std::invalid_argument);
    // It may start again.
    CHECK(deliver(pool, 1, "abc"));
    CHECK(pool.has_portions());
}

TEST_CASE("units of a lost rank and of a damaged result go to others") {
    WorkPool pool(3);
    pool.open("task", {{0, 6}}, unit_cost);
    pool.draw(1, 0.0, 2);
    pool.draw(2, 0.0, 4);
    CHECK(pool.receive(1, 1, 2, 0, "a"));
    CHECK(pool.lose(1) == 2);
    CHECK_THROWS_AS(pool.receive(1, 1, 2, 1, "b"), std::invalid_argument);
    CHECK(deliver(pool, 2, "damaged"));
    pool.reject(pool.take_portions().at(0));
    CHECK(pool.draw(0, 0.0, 2) == WorkRange{0, 2});
    CHECK(pool.draw(0, 0.0, 4) == WorkRange{2, 6});
    pool.complete({0, 6});
    CHECK(pool.is_complete());
}

TEST_CASE("results wait while others fill the memory") {
    WorkPool pool(3);
    pool.open("task", {{0, 3}}, unit_cost);
    for (const int rank : {0, 1, 2}) pool.draw(rank, 0.0, 1);
    const std::size_t large = std::size_t{40} << 20;
    CHECK(pool.receive(1, 1, large, 0, "a"));
    CHECK_FALSE(pool.receive(2, 1, large, 0, "b"));
    CHECK(pool.receive(2, 1, 1000, 0, "b"));
    // A result of any size is received if it is the only one.
    pool.lose(1);
    pool.lose(2);
    pool.draw(2, 0.0, 1);
    CHECK(pool.receive(2, 1, std::size_t{1} << 32, 0, "b"));
    pool.draw(1, 0.0, 1);
    CHECK_FALSE(pool.receive(1, 1, 10, 0, "a"));
    pool.lose(2);
    CHECK(deliver(pool, 1, "result"));
}

TEST_CASE("a task that ends early is forgotten") {
    WorkPool pool(2);
    pool.open("first", {{0, 6}}, unit_cost);
    pool.draw(1, 0.0, 2);
    CHECK_THROWS_AS(pool.open("second", {}, unit_cost), std::logic_error);
    pool.abandon();
    CHECK(pool.is_complete());
    CHECK(pool.lose(1) == 0);
    pool.open("second", {{0, 1}}, unit_cost);
    CHECK(pool.task() == 2);
    CHECK(pool.text() == "second");
    CHECK(pool.draw(1, 0.0, 2) == WorkRange{0, 1});
}

TEST_CASE("every unit is done once while ranks come, go and deliver at random") {
    std::mt19937_64 random(7);
    const auto below = [&](std::uint64_t count) {
        return static_cast<std::int64_t>(random() % count);
    };
    for (int trial = 0; trial < 200; ++trial) {
        constexpr std::int64_t kUnits = 200;
        const int ranks = static_cast<int>(2 + below(6));
        WorkPool pool(ranks);
        pool.open("task", {{0, kUnits}}, unit_cost);
        std::vector<int> done(kUnits, 0);
        const auto mark = [&](const WorkRange& units) {
            for (std::int64_t unit = units.first; unit < units.second; ++unit)
                ++done[static_cast<std::size_t>(unit)];
        };
        std::vector<bool> has(static_cast<std::size_t>(ranks), false);
        for (int step = 0; !pool.is_complete(); ++step) {
            REQUIRE(step < 100'000);
            const int rank = static_cast<int>(below(static_cast<std::uint64_t>(ranks)));
            if (rank == 0) {
                if (const auto units = pool.draw(0, 0.0, 1 + below(8))) {
                    pool.complete(*units);
                    mark(*units);
                }
                for (const WorkPortion& portion : pool.take_portions()) {
                    if (below(10) == 0) {
                        pool.reject(portion);
                        continue;
                    }
                    for (const WorkRange& range : portion.units) mark(range);
                    pool.accept(portion);
                }
                continue;
            }
            std::vector<bool>::reference mine = has[static_cast<std::size_t>(rank)];
            switch (below(4)) {
                case 0:
                    pool.lose(rank);
                    mine = false;
                    break;
                case 1:
                    if (mine) deliver(pool, rank, "result");
                    mine = false;
                    break;
                default:
                    mine = pool.draw(rank, static_cast<double>(below(20)), 1).has_value() || mine;
            }
        }
        CHECK(std::ranges::all_of(done, [](int count) { return count == 1; }));
    }
}
