// SPDX-License-Identifier: MIT
// Partitions cover every item once and are balanced.
#include "kernels/host/partition.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <limits>
#include <numeric>

using helioray::partition_by_cost;
using helioray::partition_in_turn;
using helioray::partition_range;
using helioray::range_without;
using helioray::shrinking_chunks;
using Range = std::pair<std::int64_t, std::int64_t>;

TEST_CASE("ranges cover everything once, within one item of each other") {
    for (const std::int64_t n : {0, 1, 2, 5, 7, 64, 1001})
        for (const int size : {1, 2, 3, 4, 7, 16}) {
            std::int64_t next = 0, shortest = n, longest = 0;
            for (int rank = 0; rank < size; ++rank) {
                const auto [begin, end] = partition_range(n, rank, size);
                CHECK(begin == next);
                next = end;
                shortest = std::min(shortest, end - begin);
                longest = std::max(longest, end - begin);
            }
            CHECK(next == n);
            CHECK(longest - shortest <= 1);
        }
    CHECK(partition_range(10, 0, 4) == Range{0, 3});
    CHECK(partition_range(10, 3, 4) == Range{8, 10});
    const auto large = std::int64_t{1} << 62;
    CHECK(partition_range(large, 3, 4) == Range{large / 4 * 3, large});
}

TEST_CASE("impossible partitions") {
    CHECK_THROWS_AS(partition_range(-1, 0, 1), std::invalid_argument);
    CHECK_THROWS_AS(partition_range(1, 1, 1), std::invalid_argument);
    CHECK_THROWS_AS(partition_range(1, -1, 1), std::invalid_argument);
    CHECK_THROWS_AS(partition_range(1, 0, 0), std::invalid_argument);
    CHECK_THROWS_AS(partition_by_cost({1.0}, 0), std::invalid_argument);
    CHECK_THROWS_AS(partition_by_cost({1.0, -1.0}, 2), std::invalid_argument);
    CHECK_THROWS_AS(partition_by_cost({std::numeric_limits<double>::quiet_NaN()}, 2),
                    std::invalid_argument);
}

namespace {

double largest_load(const std::vector<double>& costs, const std::vector<Range>& ranges) {
    double largest = 0.0;
    for (const auto& [begin, end] : ranges)
        largest =
            std::max(largest, std::accumulate(costs.begin() + begin, costs.begin() + end, 0.0));
    return largest;
}

/// Returns the smallest maximal load of all contiguous partitions by enumerating them.
double best_load(const std::vector<double>& costs, std::size_t begin, int size) {
    if (size == 1) return std::accumulate(costs.begin() + begin, costs.end(), 0.0);
    double best = std::numeric_limits<double>::infinity(), first = 0.0;
    for (std::size_t end = begin; end <= costs.size(); ++end) {
        best = std::min(best, std::max(first, best_load(costs, end, size - 1)));
        if (end < costs.size()) first += costs[end];
    }
    return best;
}

}  // namespace

TEST_CASE("partition by cost is the best contiguous one") {
    const std::vector<std::vector<double>> examples{{1, 1, 1, 1},
                                                    {5, 1, 1, 1, 1, 1},
                                                    {1, 1, 1, 1, 9},
                                                    {0, 0, 3, 0, 3, 0},
                                                    {0.1, 0.7, 0.3, 0.2, 0.9, 0.4, 0.4, 0.8},
                                                    {2},
                                                    {}};
    for (const auto& costs : examples)
        for (const int size : {1, 2, 3, 4}) {
            const auto ranges = partition_by_cost(costs, size);
            REQUIRE(ranges.size() == static_cast<std::size_t>(size));
            std::int64_t next = 0;
            for (const auto& [begin, end] : ranges) {
                CHECK(begin == next);
                CHECK(end >= begin);
                next = end;
            }
            CHECK(next == static_cast<std::int64_t>(costs.size()));
            CHECK(largest_load(costs, ranges) == Approx(best_load(costs, 0, size)).epsilon(1e-9));
        }
    CHECK(partition_by_cost({0, 0, 0, 0}, 2) == std::vector<Range>{{0, 2}, {2, 4}});
}

namespace {

/// Returns the time that ranks of the given speeds (cost per time) need if each free rank takes the
/// next chunk.
double time_to_finish(const std::vector<double>& costs,
                      const std::vector<std::int64_t>& ends,
                      const std::vector<double>& speeds) {
    std::vector<double> free_at(speeds.size(), 0.0);
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
        const auto next = std::min_element(free_at.begin(), free_at.end());
        const double cost = std::accumulate(costs.begin() + begin, costs.begin() + end, 0.0);
        *next += cost / speeds[static_cast<std::size_t>(next - free_at.begin())];
        begin = end;
    }
    return *std::max_element(free_at.begin(), free_at.end());
}

/// Returns pseudo-random costs between 1 and 10.
std::vector<double> uneven_costs(std::int64_t n) {
    std::vector<double> costs;
    for (std::uint32_t i = 0; i < n; ++i) costs.push_back(1.0 + (i * 2654435761u >> 16) % 10);
    return costs;
}

}  // namespace

TEST_CASE("chunks cover everything once and shrink") {
    for (const std::int64_t n : {0, 1, 5, 100, 1000})
        for (const int size : {1, 2, 5})
            for (const std::int64_t smallest : {1, 4}) {
                const auto ends = shrinking_chunks(std::vector<double>(n, 2.0), size, smallest);
                std::int64_t begin = 0, last = n;
                for (const std::int64_t end : ends) {
                    CHECK(end - begin <= std::max(last, smallest));
                    CHECK((end - begin >= smallest || end == n));
                    CHECK(end > begin);
                    last = end - begin;
                    begin = end;
                }
                CHECK(begin == n);
            }
    CHECK(shrinking_chunks(std::vector<double>(32, 1.0), 2) ==
          std::vector<std::int64_t>{4,  7,  10, 12, 14, 16, 18, 19, 20, 21, 22,
                                    23, 24, 25, 26, 27, 28, 29, 30, 31, 32});
    CHECK(shrinking_chunks({0, 0, 0}, 2) == std::vector<std::int64_t>{3});
}

TEST_CASE("a rank of half the speed costs less than 15 % over the ideal") {
    for (const int size : {2, 3, 4, 8, 16}) {
        for (const auto& costs : {uneven_costs(64 * size), std::vector<double>(48 * size, 1.0)}) {
            std::vector<double> speeds(size, 1.0);
            speeds[1] = 0.5;
            const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
            const double ideal = total / (size - 0.5);
            CAPTURE(size, costs.size(), ideal);
            CHECK(time_to_finish(costs, shrinking_chunks(costs, size), speeds) < 1.15 * ideal);
            // With a static partition, the slow rank determines the time.
            std::vector<std::int64_t> ends;
            for (const auto& range : partition_by_cost(costs, size)) ends.push_back(range.second);
            CHECK(time_to_finish(costs, ends, speeds) > 1.3 * ideal);
        }
    }
}

TEST_CASE("impossible chunks") {
    CHECK_THROWS_AS(shrinking_chunks({1.0}, 0), std::invalid_argument);
    CHECK_THROWS_AS(shrinking_chunks({1.0}, 1, 0), std::invalid_argument);
    CHECK_THROWS_AS(shrinking_chunks({-1.0}, 1), std::invalid_argument);
}

TEST_CASE("items in turn cover everything once") {
    for (const std::int64_t n : {0, 1, 2, 5, 7, 64})
        for (const std::int64_t parts : {1, 2, 3, 7, 100}) {
            std::vector<int> taken(static_cast<std::size_t>(n), 0);
            for (std::int64_t part = 0; part < parts; ++part)
                for (const std::int64_t item : partition_in_turn(n, part, parts)) {
                    CHECK(item % parts == part);
                    ++taken[static_cast<std::size_t>(item)];
                }
            CHECK(std::count(taken.begin(), taken.end(), 1) == n);
        }
    constexpr auto kMany = std::numeric_limits<std::int64_t>::max();
    CHECK(partition_in_turn(5, 3, kMany) == std::vector<std::int64_t>{3});
    CHECK(partition_in_turn(5, 5, kMany).empty());
    CHECK_THROWS_AS(partition_in_turn(-1, 0, 1), std::invalid_argument);
    CHECK_THROWS_AS(partition_in_turn(4, 2, 2), std::invalid_argument);
    CHECK_THROWS_AS(partition_in_turn(4, -1, 2), std::invalid_argument);
}

TEST_CASE("a range without what is taken") {
    const std::vector<Range> taken{{2, 4}, {4, 5}, {8, 10}};
    CHECK(range_without({0, 12}, taken) == std::vector<Range>{{0, 2}, {5, 8}, {10, 12}});
    CHECK(range_without({3, 9}, taken) == std::vector<Range>{{5, 8}});
    CHECK(range_without({2, 5}, taken).empty());
    CHECK(range_without({5, 8}, taken) == std::vector<Range>{{5, 8}});
    CHECK(range_without({6, 6}, taken).empty());
    CHECK(range_without({0, 1}, {}) == std::vector<Range>{{0, 1}});
}
