// SPDX-License-Identifier: MIT
// Runs work units with receivers of several surfaces on a CUDA device.
#include "kernels/cuda/launch.h"
#include "kernels/cuda/receiver_units.cuh"
#include "kernels/cuda/tile_memory.h"

#include <algorithm>

namespace helioray::kernels {

void trace_receivers_cuda(const FieldView& field,
                          const WorkUnit* units,
                          int64_t num_units,
                          const SumsView& sums,
                          void* stream) {
    if (num_units == 0) return;
    auto* const cuda_stream = static_cast<cudaStream_t>(stream);
    const auto kernel = receiver_kernel(field);
    const TileMemory spilled(
        int64_t{2} * field.num_surfaces * field.bitmap_width * field.bitmap_height,
        std::min(num_units, blocks_on_device(kernel, kThreadsPerBlock, 0)),
        cuda_stream);
    kernel<<<spilled.blocks(), kThreadsPerBlock, 0, cuda_stream>>>(
        field, units, num_units, sums, spilled.get());
    check(cudaGetLastError(), "launch of trace_receiver_units");
}

}  // namespace helioray::kernels
