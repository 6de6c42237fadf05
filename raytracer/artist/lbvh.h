// SPDX-License-Identifier: MIT
// Linear bounding volume hierarchy of rectangles: a binary radix tree over Morton codes (Karras
// 2012).
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

namespace helioray::artist {

/// Axis-aligned box, metres.
struct Box {
    std::array<float, 3> min{};
    std::array<float, 3> max{};
};

/// 2 K - 1 nodes; node 0 is the root, nodes K - 1 ... 2 K - 2 are the leaves in the order of their
/// Morton codes. -1 stands for "no child" and "no rectangle".
struct Lbvh {
    std::vector<int64_t> left;
    std::vector<int64_t> right;
    std::vector<int64_t> rectangle;
    std::vector<Box> box;

    bool is_leaf(int64_t node) const { return rectangle[static_cast<size_t>(node)] >= 0; }
};

/// Radix tree over ascending codes, without a tie-break for equal ones.
/// Throws InputError where three or more equal codes make it no tree (P36): ARTIST would search it
/// endlessly.
/// @param corners float32 [K, 4, 3] metres, K >= 1
Lbvh build_lbvh(const at::Tensor& corners);

}  // namespace helioray::artist
