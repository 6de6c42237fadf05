// SPDX-License-Identifier: MIT
// Thread blocks of a launch, and their bitmaps in the memory of the device.
#pragma once

#include "kernels/cuda/device_array.h"

#include <algorithm>
#include <cstdint>

namespace helioray::kernels {

/// Zeroed bitmaps for as many blocks as fit into half of the free memory, at least one.
class TileMemory {
  public:
    /// num_pixels: of both halves of a block; blocks: as many as are useful.
    TileMemory(int64_t num_pixels, int64_t blocks, cudaStream_t stream) : pixels_(stream) {
        size_t free_bytes = 0, total_bytes = 0;
        check(cudaMemGetInfo(&free_bytes, &total_bytes), "free memory");
        const size_t tile_bytes = sizeof(int64_t) * static_cast<size_t>(num_pixels);
        const auto fitting = static_cast<int64_t>(free_bytes / 2 / tile_bytes);
        blocks_ = std::min(blocks, std::max<int64_t>(1, fitting));
        pixels_.assign_zeros(blocks_ * num_pixels);
    }

    int64_t* get() const { return pixels_.get(); }
    unsigned blocks() const { return static_cast<unsigned>(blocks_); }

  private:
    DeviceArray<int64_t> pixels_;
    int64_t blocks_ = 0;
};

/// Returns an attribute of the current device.
inline int device_attribute(cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, current_device()), "device attribute");
    return value;
}

/// Returns the number of blocks of a kernel that a multiprocessor runs at once, at least 1.
template <typename Kernel>
int blocks_at_once(Kernel kernel, int threads, size_t dynamic_bytes) {
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic_bytes),
          "occupancy of a kernel");
    return std::max(blocks, 1);
}

/// Returns the number of blocks of a kernel that the current device runs at once.
template <typename Kernel>
int64_t blocks_on_device(Kernel kernel, int threads, size_t dynamic_bytes) {
    return static_cast<int64_t>(device_attribute(cudaDevAttrMultiProcessorCount)) *
           blocks_at_once(kernel, threads, dynamic_bytes);
}

}  // namespace helioray::kernels
