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
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    const auto kernel = occlusion ? trace_reflecting_units<WarpReceiverOcclusion>
                                  : trace_reflecting_units<NothingInTheWay>;
    constexpr size_t kShared = sizeof(ReflectionMemory);
    check(cudaFuncSetAttribute(
              kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)),
          "shared memory of trace_reflecting_units");
    const int64_t at_once = static_cast<int64_t>(device_attribute(cudaDevAttrMultiProcessorCount)) *
                            blocks_at_once(kernel, kThreadsPerBlock, kShared);
    const TileMemory spilled(
        int64_t{4} * field.num_surfaces * field.bitmap_width * field.bitmap_height,
        std::min(num_units, at_once),
        cuda_stream);
    const ScratchMemory<BatchCarriers> carriers(spilled.blocks(), cuda_stream);
    kernel<<<spilled.blocks(), kThreadsPerBlock, kShared, cuda_stream>>>(
        field, units, num_units, sums, spilled.get(), carriers.get());
    check(cudaGetLastError(), "launch of trace_reflecting_units");
}

}  // namespace helioray::kernels
