// SPDX-License-Identifier: MIT
// Runs work units on a CUDA device: chooses the number of blocks and their memory.
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile_memory.h"
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
    cudaFuncAttributes own{};
    check(cudaFuncGetAttributes(&own, kernel), "attributes of trace_units");
    // Registers limit the number of blocks, which divide the memory of their multiprocessor.
    Launch launch{};
    launch.capacity =
        window_capacity({device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
                         device_attribute(cudaDevAttrReservedSharedMemoryPerBlock),
                         device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)},
                        blocks_at_once(kernel, kThreadsPerBlock, 0),
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
    launch.blocks = blocks_on_device(kernel, kThreadsPerBlock, launch.shared_bytes);
    return launch;
}

}  // namespace

void trace_targets_cuda(const FieldView& field,
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
    const TileMemory spilled(2 * num_pixels, std::min(num_units, launch.blocks), cuda_stream);
    kernel<<<spilled.blocks(), kThreadsPerBlock, launch.shared_bytes, cuda_stream>>>(
        field, units, num_units, sums, spilled.get(), launch.capacity);
    check(cudaGetLastError(), "launch of trace_units");
}

}  // namespace helioray::kernels
