// SPDX-License-Identifier: MIT
// Runs work units with receivers whose surfaces reflect on a CUDA device.
#include "kernels/cuda/launch.h"
#include "kernels/cuda/reflecting_units.cuh"
#include "kernels/cuda/tile_memory.h"

#include <algorithm>

namespace helioray::kernels {

void trace_reflections_cuda(const FieldView& field,
                            const WorkUnit* units,
                            int64_t num_units,
                            const SumsView& sums,
                            void* stream) {
    if (num_units == 0) return;
    auto* const cuda_stream = static_cast<cudaStream_t>(stream);
    const auto kernel = reflecting_kernel(field);
    constexpr size_t kShared = sizeof(ReflectionMemory);
    check(cudaFuncSetAttribute(
              kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)),
          "shared memory of trace_reflecting_units");
    const TileMemory spilled(
        int64_t{4} * field.num_surfaces * field.bitmap_width * field.bitmap_height,
        std::min(num_units, blocks_on_device(kernel, kThreadsPerBlock, kShared)),
        cuda_stream);
    DeviceArray<BatchCarriers> carriers(cuda_stream);
    carriers.reserve(spilled.blocks());
    kernel<<<spilled.blocks(), kThreadsPerBlock, kShared, cuda_stream>>>(
        field, units, num_units, sums, spilled.get(), carriers.get());
    check(cudaGetLastError(), "launch of trace_reflecting_units");
}

}  // namespace helioray::kernels
