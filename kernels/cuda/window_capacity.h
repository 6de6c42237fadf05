// SPDX-License-Identifier: MIT
// Size of the pixel windows in shared memory, for launches and for the test of occupancy.
#pragma once

#include <algorithm>
#include <cstdint>

namespace helioray::kernels {

/// Shared memory of a device, bytes.
struct SharedMemoryLimits {
    int64_t per_multiprocessor;  ///< memory that the blocks of a multiprocessor divide
    int64_t reserved_per_block;  ///< memory that the system takes for each block
    int64_t per_block;           ///< most memory that a block can ask for
};

/// Returns the number of pixels of each window when `blocks` thread blocks, each with
/// `static_bytes` of other shared memory, divide a multiprocessor; at most `num_pixels`.
inline int32_t window_capacity(const SharedMemoryLimits& limits,
                               int64_t blocks,
                               int64_t static_bytes,
                               int64_t num_pixels) {
    const int64_t part = limits.per_multiprocessor / blocks - limits.reserved_per_block;
    const int64_t bytes = std::max<int64_t>(0, std::min(part, limits.per_block) - static_bytes);
    // Memory is allocated in pieces of 128 bytes. A pixel has a counter in each of two windows.
    const int64_t pixels = bytes / 128 * 128 / 2 / static_cast<int64_t>(sizeof(uint32_t));
    return static_cast<int32_t>(std::min(num_pixels, pixels));
}

}  // namespace helioray::kernels
