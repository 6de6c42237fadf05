// SPDX-License-Identifier: MIT
// Runs backward work units with single targets on a CUDA device.
#include "kernels/cuda/backward_units.cuh"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/tile_memory.h"

#include <algorithm>

namespace helioray::kernels {

void trace_targets_backward_cuda(const FieldView& field,
                                 const WorkUnit* units,
                                 int64_t num_units,
                                 const float* gradient,
                                 const GradientScale& scale,
                                 const GradientSums& sums,
                                 void* stream) {
    if (num_units == 0) return;
    const bool occlusion = field.shading != 0 || field.blocking != 0;
    const auto kernel = occlusion ? backward_units<WarpOcclusion> : backward_units<NothingInTheWay>;
    const int64_t blocks = std::min(num_units, blocks_on_device(kernel, kThreadsPerBlock, 0));
    kernel<<<static_cast<unsigned>(blocks),
             kThreadsPerBlock,
             0,
             static_cast<cudaStream_t>(stream)>>>(field, units, num_units, gradient, scale, sums);
    check(cudaGetLastError(), "launch of backward_units");
}

}  // namespace helioray::kernels
