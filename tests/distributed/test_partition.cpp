// SPDX-License-Identifier: MIT
// Contiguous partitions cover everything once and balance it.
#include "distributed/partition.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <limits>
#include <numeric>

using helioray::partition_by_cost;
using helioray::partition_range;
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

/// Smallest largest load over all contiguous partitions, by trying them all.
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
