// SPDX-License-Identifier: MIT
// Runs work units on a CUDA device: chooses the number of blocks and their memory.
#include "kernels/cuda/check.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/trace_units.cuh"
#include "kernels/cuda/window_capacity.h"

#include <algorithm>

namespace helioray::kernels {

namespace {

using Kernel = void (*)(FieldView, const WorkUnit*, int64_t, SumsView, int64_t*, int32_t);

/// Number of blocks that a device runs at once, and number of pixels of their windows.
struct Launch {
    int64_t blocks;
    int32_t capacity;
    size_t shared_bytes;
};

Launch plan_launch(Kernel kernel, int64_t num_pixels) {
    const auto attribute = [](cudaDeviceAttr which) {
        int device = 0, value = 0;
        check(cudaGetDevice(&device), "device");
        check(cudaDeviceGetAttribute(&value, which, device), "device attribute");
        return value;
    };
    cudaFuncAttributes own{};
    check(cudaFuncGetAttributes(&own, kernel), "attributes of trace_units");
    const auto blocks_at_once = [&](size_t dynamic_bytes) {
        int blocks = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &blocks, kernel, kThreadsPerBlock, dynamic_bytes),
              "occupancy of trace_units");
        return std::max(blocks, 1);
    };
    // Registers limit the number of blocks, which divide the memory of their multiprocessor.
    Launch launch{};
    launch.capacity = window_capacity({attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
                                       attribute(cudaDevAttrReservedSharedMemoryPerBlock),
                                       attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)},
                                      blocks_at_once(0),
                                      static_cast<int64_t>(own.sharedSizeBytes),
                                      num_pixels);
    launch.shared_bytes = static_cast<size_t>(launch.capacity) * 2 * sizeof(uint32_t);
    check(cudaFuncSetAttribute(kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(launch.shared_bytes)),
          "shared memory of trace_units");
    check(
        cudaFuncSetAttribute(
            kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
        "shared memory of trace_units");
    launch.blocks = static_cast<int64_t>(attribute(cudaDevAttrMultiProcessorCount)) *
                    blocks_at_once(launch.shared_bytes);
    return launch;
}

}  // namespace

void trace_flux_cuda(const FieldView& field,
                     const WorkUnit* units,
                     int64_t num_units,
                     const SumsView& sums,
                     void* stream) {
    if (num_units == 0) return;
    auto* const cuda_stream = static_cast<cudaStream_t>(stream);
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    const Kernel kernel = occlusion ? trace_units<WarpOcclusion> : trace_units<NothingInTheWay>;
    const Launch launch = plan_launch(kernel, num_pixels);

    // Bitmaps in global memory use at most half of the free memory.
    size_t free_bytes = 0, total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "free memory");
    const size_t tile_bytes = 2 * sizeof(int64_t) * static_cast<size_t>(num_pixels);
    const auto fitting = std::max<int64_t>(1, static_cast<int64_t>(free_bytes / 2 / tile_bytes));
    const int64_t blocks = std::min({num_units, launch.blocks, fitting});

    const size_t bytes = static_cast<size_t>(blocks) * tile_bytes;
    int64_t* spilled = nullptr;
    check(cudaMallocAsync(&spilled, bytes, cuda_stream), "memory for bitmap tiles");
    check(cudaMemsetAsync(spilled, 0, bytes, cuda_stream), "clearing bitmap tiles");
    kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock, launch.shared_bytes, cuda_stream>>>(
        field, units, num_units, sums, spilled, launch.capacity);
    const cudaError_t launched = cudaGetLastError();
    check(cudaFreeAsync(spilled, cuda_stream), "memory for bitmap tiles");
    check(launched, "launch of trace_units");
}

}  // namespace helioray::kernels
