// SPDX-License-Identifier: MIT
// Contiguous partitions, uniform and by cost, and cyclic distribution.
#include "kernels/host/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace helioray {
namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

/// Fills ranks in succession up to `limit`. Returns as many ranges as needed, at most max_ranges +
/// 1.
std::vector<Range> fill_up_to(const std::vector<double>& costs, double limit, int max_ranges) {
    std::vector<Range> ranges;
    const auto n = static_cast<std::int64_t>(costs.size());
    std::int64_t begin = 0;
    while (begin < n && ranges.size() <= static_cast<std::size_t>(max_ranges)) {
        std::int64_t end = begin;
        double sum = 0.0;
        while (end < n && (end == begin || sum + costs[end] <= limit)) sum += costs[end++];
        ranges.emplace_back(begin, end);
        begin = end;
    }
    return ranges;
}

/// Returns the sum of costs after checking them.
double checked_total(const std::vector<double>& costs, const std::string& function) {
    double total = 0.0;
    for (const double cost : costs) {
        if (!std::isfinite(cost) || cost < 0.0)
            throw std::invalid_argument(function + " needs finite costs >= 0, not " +
                                        std::to_string(cost));
        total += cost;
    }
    return total;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> partition_range(std::int64_t n, int rank, int size) {
    if (n < 0 || size < 1 || rank < 0 || rank >= size)
        throw std::invalid_argument(
            "partition_range needs n >= 0 and 0 <= rank < size, not n = " + std::to_string(n) +
            ", rank = " + std::to_string(rank) + ", size = " + std::to_string(size));
    const std::int64_t share = n / size, rest = n % size;
    const std::int64_t begin = rank * share + std::min<std::int64_t>(rank, rest);
    return {begin, begin + share + (rank < rest ? 1 : 0)};
}

std::vector<Range> partition_by_cost(const std::vector<double>& costs, int size) {
    if (size < 1)
        throw std::invalid_argument("partition_by_cost needs size >= 1, not " +
                                    std::to_string(size));
    const double total = checked_total(costs, "partition_by_cost");
    const double largest = costs.empty() ? 0.0 : *std::max_element(costs.begin(), costs.end());
    const auto n = static_cast<std::int64_t>(costs.size());
    std::vector<Range> ranges;
    if (total == 0.0) {
        for (int rank = 0; rank < size; ++rank) ranges.push_back(partition_range(n, rank, size));
        return ranges;
    }

    // Bisect for the smallest maximal load that `size` ranges can achieve.
    const auto fits = [&](double limit) {
        return fill_up_to(costs, limit, size).size() <= static_cast<std::size_t>(size);
    };
    double low = std::max(largest, total / size) * (1.0 - 1e-12), high = total * (1.0 + 1e-12);
    if (fits(low)) high = low;
    while (high - low > 1e-12 * high) {
        const double middle = 0.5 * (low + high);
        (fits(middle) ? high : low) = middle;
    }
    ranges = fill_up_to(costs, high, size);
    ranges.resize(size, Range{n, n});
    return ranges;
}

std::vector<std::int64_t> partition_in_turn(std::int64_t n, std::int64_t part, std::int64_t parts) {
    if (n < 0 || part < 0 || part >= parts)
        throw std::invalid_argument(
            "partition_in_turn needs n >= 0 and 0 <= part < parts, not n = " + std::to_string(n) +
            ", part = " + std::to_string(part) + ", parts = " + std::to_string(parts));
    std::vector<std::int64_t> items;
    if (part < n) items.reserve(static_cast<std::size_t>((n - part - 1) / parts + 1));
    // With a large `parts`, the next item may exceed the range of integers.
    for (std::int64_t item = part; item < n; item += parts) {
        items.push_back(item);
        if (parts > n - item) break;
    }
    return items;
}

std::vector<Range> range_without(Range range, const std::vector<Range>& taken) {
    auto [begin, end] = range;
    std::vector<Range> left;
    for (const auto& [first, last] : taken) {
        if (last <= begin || first >= end) continue;
        if (begin < first) left.emplace_back(begin, first);
        begin = std::min(last, end);
    }
    if (begin < end) left.emplace_back(begin, end);
    return left;
}

std::vector<std::int64_t> shrinking_chunks(const std::vector<double>& costs,
                                           int size,
                                           std::int64_t smallest) {
    if (size < 1 || smallest < 1)
        throw std::invalid_argument("shrinking_chunks needs size >= 1 and smallest >= 1, not " +
                                    std::to_string(size) + " and " + std::to_string(smallest));
    // A rank that is half as fast as the others must not delay all of them with its first chunk.
    constexpr double kChunksPerRank = 4.0;
    const auto n = static_cast<std::int64_t>(costs.size());
    double left = checked_total(costs, "shrinking_chunks");
    std::vector<std::int64_t> ends;
    for (std::int64_t end = 0; end < n;) {
        const double wanted = left / (kChunksPerRank * size);
        const std::int64_t begin = end;
        double sum = 0.0;
        while (end < n && (end - begin < smallest || sum + costs[end] <= wanted))
            sum += costs[end++];
        ends.push_back(end);
        left -= sum;
    }
    return ends;
}

}  // namespace helioray
