// SPDX-License-Identifier: MIT
// Runs backward work units with receivers of several surfaces on a CUDA device.
#include "kernels/cuda/launch.h"
#include "kernels/cuda/receiver_backward_units.cuh"
#include "kernels/cuda/tile_memory.h"

#include <algorithm>

namespace helioray::kernels {

void trace_receivers_backward_cuda(const FieldView& field,
                                   const WorkUnit* units,
                                   int64_t num_units,
                                   const float* gradient,
                                   const GradientScale& scale,
                                   const GradientSums& sums,
                                   void* stream) {
    if (num_units == 0) return;
    const auto kernel = receiver_backward_kernel(field);
    constexpr size_t kShared = sizeof(SurfaceViews);
    check(cudaFuncSetAttribute(
              kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)),
          "shared memory of backward_receiver_units");
    const int64_t blocks = std::min(num_units, blocks_on_device(kernel, kThreadsPerBlock, kShared));
    kernel<<<static_cast<unsigned>(blocks),
             kThreadsPerBlock,
             kShared,
             static_cast<cudaStream_t>(stream)>>>(field, units, num_units, gradient, scale, sums);
    check(cudaGetLastError(), "launch of backward_receiver_units");
}

}  // namespace helioray::kernels
