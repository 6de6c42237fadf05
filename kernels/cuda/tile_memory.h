// SPDX-License-Identifier: MIT
// Bitmaps of thread blocks in the memory of the device.
#pragma once

#include "kernels/cuda/check.h"

#include <algorithm>
#include <cstdint>

namespace helioray::kernels {

/// Zeroed bitmaps for as many blocks as fit into half of the free memory, at least one, freed in
/// the order of the stream.
class TileMemory {
  public:
    /// num_pixels: of both halves of a block; blocks: as many as are useful.
    TileMemory(int64_t num_pixels, int64_t blocks, cudaStream_t stream) : stream_(stream) {
        size_t free_bytes = 0, total_bytes = 0;
        check(cudaMemGetInfo(&free_bytes, &total_bytes), "free memory");
        const size_t tile_bytes = sizeof(int64_t) * static_cast<size_t>(num_pixels);
        const auto fitting = static_cast<int64_t>(free_bytes / 2 / tile_bytes);
        blocks_ = std::min(blocks, std::max<int64_t>(1, fitting));
        const size_t bytes = static_cast<size_t>(blocks_) * tile_bytes;
        check(cudaMallocAsync(&pixels_, bytes, stream), "memory for bitmap tiles");
        check(cudaMemsetAsync(pixels_, 0, bytes, stream), "clearing bitmap tiles");
    }
    ~TileMemory() { cudaFreeAsync(pixels_, stream_); }
    TileMemory(const TileMemory&) = delete;
    TileMemory& operator=(const TileMemory&) = delete;

    int64_t* get() const { return pixels_; }
    unsigned blocks() const { return static_cast<unsigned>(blocks_); }

  private:
    int64_t* pixels_ = nullptr;
    int64_t blocks_ = 0;
    cudaStream_t stream_;
};

/// Memory for `count` objects without a value, freed in the order of the stream.
template <typename T>
class ScratchMemory {
  public:
    ScratchMemory(int64_t count, cudaStream_t stream) : stream_(stream) {
        check(cudaMallocAsync(&objects_, static_cast<size_t>(count) * sizeof(T), stream),
              "memory for reflected rays");
    }
    ~ScratchMemory() { cudaFreeAsync(objects_, stream_); }
    ScratchMemory(const ScratchMemory&) = delete;
    ScratchMemory& operator=(const ScratchMemory&) = delete;

    T* get() const { return objects_; }

  private:
    T* objects_ = nullptr;
    cudaStream_t stream_;
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

}  // namespace helioray::kernels
