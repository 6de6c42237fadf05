// SPDX-License-Identifier: MIT
// Encodes traced work without blocks of zeros, and adds it to sums.
#include "raytracer/run/stored/work_numbers.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace helioray::run {

namespace {

// Blocks of zeros are not stored: maps of single heliostats are mostly empty.
constexpr std::size_t kBlock = 512;

/// Returns (first, count) of the runs of blocks that are not empty.
std::vector<std::pair<int64_t, int64_t>> find_stretches(std::span<const int64_t> sums) {
    std::vector<std::pair<int64_t, int64_t>> stretches;
    for (std::size_t first = 0; first < sums.size(); first += kBlock) {
        const auto block = sums.subspan(first, std::min(kBlock, sums.size() - first));
        if (std::all_of(block.begin(), block.end(), [](int64_t sum) { return sum == 0; })) continue;
        const auto begin = static_cast<int64_t>(first), count = std::ssize(block);
        if (!stretches.empty() && stretches.back().first + stretches.back().second == begin) {
            stretches.back().second += count;
        } else {
            stretches.emplace_back(begin, count);
        }
    }
    return stretches;
}

/// Calls `use` with the index in `sums` and the values of every run of sums.
template <typename Use>
void for_each_stretch(std::span<const int64_t> numbers, Use&& use) {
    const std::size_t stretches = 2 + 2 * static_cast<std::size_t>(numbers[0]);
    std::size_t values = stretches + 2 * static_cast<std::size_t>(numbers[1]);
    const std::size_t end = values;
    for (std::size_t i = stretches; i < end; i += 2) {
        const auto count = static_cast<std::size_t>(numbers[i + 1]);
        use(static_cast<std::size_t>(numbers[i]), numbers.subspan(values, count));
        values += count;
    }
}

}  // namespace

std::vector<int64_t> encode_work(const UnitSet& units, std::span<const int64_t> sums) {
    const auto stretches = find_stretches(sums);
    std::size_t size = 2 + 2 * units.ranges().size() + 2 * stretches.size();
    for (const auto& [first, count] : stretches) size += static_cast<std::size_t>(count);
    std::vector<int64_t> numbers;
    numbers.reserve(size);
    numbers.insert(numbers.end(), {std::ssize(units.ranges()), std::ssize(stretches)});
    for (const auto& list : {std::span(units.ranges()), std::span(stretches)}) {
        for (const auto& [first, second] : list) numbers.insert(numbers.end(), {first, second});
    }
    for (const auto& [first, count] : stretches) {
        const auto stretch =
            sums.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        numbers.insert(numbers.end(), stretch.begin(), stretch.end());
    }
    return numbers;
}

UnitSet decode_units(std::span<const int64_t> numbers, int64_t num_units, int64_t num_sums) {
    const auto fits = [](bool good) {
        if (!good) throw std::invalid_argument("the numbers are not those of traced work");
    };
    fits(numbers.size() >= 2);
    const auto size = std::ssize(numbers);
    fits(numbers[0] >= 0 && numbers[0] <= size && numbers[1] >= 0 && numbers[1] <= size);
    const int64_t ranges_end = 2 + 2 * numbers[0];
    const int64_t values_begin = ranges_end + 2 * numbers[1];
    fits(values_begin <= size);
    const auto at = [&](int64_t i) { return numbers[static_cast<std::size_t>(i)]; };
    UnitSet units;
    for (int64_t i = 2; i < ranges_end; i += 2) {
        fits(at(i) >= units.end() && at(i) < at(i + 1) && at(i + 1) <= num_units);
        units.add({at(i), at(i + 1)});
    }
    int64_t values = values_begin;
    for (int64_t i = ranges_end; i < values_begin; i += 2) {
        fits(at(i) >= 0 && at(i) <= num_sums && at(i + 1) >= 0 && at(i + 1) <= num_sums - at(i) &&
             at(i + 1) <= size - values);
        values += at(i + 1);
    }
    fits(values == size);
    return units;
}

void add_sums(std::span<const int64_t> numbers, std::span<int64_t> sums) {
    for_each_stretch(numbers, [&](std::size_t first, std::span<const int64_t> values) {
        for (std::size_t k = 0; k < values.size(); ++k) sums[first + k] += values[k];
    });
}

void clear_sums(std::span<const int64_t> numbers, std::span<int64_t> sums) {
    for_each_stretch(numbers, [&](std::size_t first, std::span<const int64_t> values) {
        std::ranges::fill(sums.subspan(first, values.size()), 0);
    });
}

}  // namespace helioray::run
