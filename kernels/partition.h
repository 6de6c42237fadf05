// SPDX-License-Identifier: MIT
// Which part of a list of work each rank, process or call takes: the one place where work is
// divided.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace helioray {

// Sums of integers do not depend on the division. Runs over ranks: partition_by_cost(), or
// shrinking_chunks() where ranks draw; the parts of a Torch operator and ARTIST's heliostat groups:
// partition_in_turn(); tensors divided between ranks: partition_range().

/// Half-open range [begin, end) of items 0..n-1 that `rank` of `size` takes. The ranges of all
/// ranks follow each other, cover everything once, and their lengths differ by at most one, the
/// longer ones first. Throws std::invalid_argument unless n >= 0 and 0 <= rank < size.
std::pair<std::int64_t, std::int64_t> partition_range(std::int64_t n, int rank, int size);

/// Half-open ranges of items, one per rank, in order, that make the largest sum of costs over a
/// rank as small as contiguous ranges allow (to a relative 1e-12). Ranges may be empty. All costs
/// zero: as partition_range. Throws std::invalid_argument unless size >= 1 and every cost is finite
/// and >= 0.
std::vector<std::pair<std::int64_t, std::int64_t>> partition_by_cost(
    const std::vector<double>& costs, int size);

/// Items 0..n-1 dealt out in turn: those that `part` of `parts` takes, which are part,
/// part + parts, part + 2 parts, ... Neighbours, which cost about the same, go to different parts.
/// Throws std::invalid_argument unless n >= 0 and 0 <= part < parts.
std::vector<std::int64_t> partition_in_turn(std::int64_t n, std::int64_t part, std::int64_t parts);

/// The half-open range [begin, end) without `taken`, which are ranges in ascending
/// order that do not overlap; in order, none of them empty.
std::vector<std::pair<std::int64_t, std::int64_t>> range_without(
    std::pair<std::int64_t, std::int64_t> range,
    const std::vector<std::pair<std::int64_t, std::int64_t>>& taken);

/// Ends of contiguous chunks of items for `size` ranks that draw one after the other as they become
/// free: each chunk holds about a (4 size)-th of the cost that is left, so that the first ones are
/// drawn rarely and the last ones compensate for slow ranks; at least `smallest` items each (the
/// last one may have fewer). A function of its arguments alone: ranks that share them need to share
/// nothing but the number of the next chunk. Throws std::invalid_argument unless size >= 1,
/// smallest >= 1 and every cost is finite and >= 0.
std::vector<std::int64_t> shrinking_chunks(const std::vector<double>& costs,
                                           int size,
                                           std::int64_t smallest = 1);

}  // namespace helioray
