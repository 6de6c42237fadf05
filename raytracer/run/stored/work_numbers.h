// SPDX-License-Identifier: MIT
// Traced work as a list of integers, for files and for messages between ranks.
#pragma once

#include "raytracer/run/stored/unit_set.h"

#include <cstdint>
#include <span>
#include <vector>

namespace helioray::run {

/// Returns units and their sums as integers: the numbers of unit ranges and of runs of sums, the
/// ranges [begin, end), the runs (first, count), the sums of all runs. Blocks of zeros are left
/// out, since a part of the units often lights only a part of the maps.
std::vector<std::int64_t> encode_work(const UnitSet& units, std::span<const std::int64_t> sums);

/// Returns the units of encoded work. Throws std::invalid_argument if the numbers are inconsistent,
/// or do not fit a run with so many units and sums.
UnitSet decode_units(std::span<const std::int64_t> numbers,
                     std::int64_t num_units,
                     std::int64_t num_sums);

/// Adds the sums of encoded work, which decode_units() has accepted, to those of a run.
void add_sums(std::span<const std::int64_t> numbers, std::span<std::int64_t> sums);

/// Sets the sums to zero that encoded work contains. After encode_work(), all are zero.
void clear_sums(std::span<const std::int64_t> numbers, std::span<std::int64_t> sums);

}  // namespace helioray::run
