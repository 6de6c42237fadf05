// SPDX-License-Identifier: MIT
// Morton codes of points: 30 bits, ten per axis, interleaved.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace helioray::artist {

/// Spreads the low ten bits so that two zeros lie between neighbours.
uint32_t expand_bits(uint32_t value);

/// Codes of points [K, 3], scaled by the largest extent over the axes; bit 3i + 2 north, 3i + 1
/// east, 3i up.
std::vector<uint32_t> morton_codes(const at::Tensor& points);

}  // namespace helioray::artist
