// SPDX-License-Identifier: MIT
// Divides lists of work between ranks, processes and calls. All divisions of work use these
// functions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace helioray {

// Sums of integers do not depend on the division. Runs over ranks use partition_by_cost(), or
// shrinking_chunks() if ranks draw chunks; the parts of a Torch operator and ARTIST's heliostat
// groups use partition_in_turn(); tensors divided between ranks use partition_range().

/// Returns the half-open range [begin, end) of items 0..n-1 for `rank` of `size`. The ranges of all
/// ranks are consecutive, cover every item once, and their lengths differ by at most one, the
/// longer ones first. Throws std::invalid_argument unless n >= 0 and 0 <= rank < size.
std::pair<std::int64_t, std::int64_t> partition_range(std::int64_t n, int rank, int size);

/// Returns half-open ranges of items, one per rank, in order, that minimise the largest sum of
/// costs of a rank among contiguous ranges (to a relative 1e-12). Ranges may be empty. If all costs
/// are zero, returns the ranges of partition_range(). Throws std::invalid_argument unless size >= 1
/// and every cost is finite and >= 0.
std::vector<std::pair<std::int64_t, std::int64_t>> partition_by_cost(
    const std::vector<double>& costs, int size);

/// Distributes items 0..n-1 cyclically and returns those for `part` of `parts`: part, part + parts,
/// part + 2 parts, ... Neighbours, which have similar costs, go to different parts. Throws
/// std::invalid_argument unless n >= 0 and 0 <= part < parts.
std::vector<std::int64_t> partition_in_turn(std::int64_t n, std::int64_t part, std::int64_t parts);

/// Returns the half-open range [begin, end) without `taken`, which are ascending ranges that do not
/// overlap. The result is in order and has no empty ranges.
std::vector<std::pair<std::int64_t, std::int64_t>> range_without(
    std::pair<std::int64_t, std::int64_t> range,
    const std::vector<std::pair<std::int64_t, std::int64_t>>& taken);

/// Returns the ends of contiguous chunks of items for `size` ranks that draw chunks as they become
/// free. Each chunk has about a (4 size)-th of the remaining cost, so that the first chunks are
/// drawn rarely and the last ones compensate for slow ranks, and at least `smallest` items (the
/// last one may have fewer). The result depends only on the arguments, so ranks only need to share
/// the number of the next chunk. Throws std::invalid_argument unless size >= 1, smallest >= 1 and
/// every cost is finite and >= 0.
std::vector<std::int64_t> shrinking_chunks(const std::vector<double>& costs,
                                           int size,
                                           std::int64_t smallest = 1);

}  // namespace helioray
