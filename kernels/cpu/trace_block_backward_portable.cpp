// SPDX-License-Identifier: MIT
// Backward block tracer: one value at a time.
#include "kernels/cpu/trace_block_backward.h"

namespace helioray::kernels {

void trace_block_backward_portable(const FieldView& field,
                                   const HeliostatRecord& h,
                                   int64_t block,
                                   int64_t rays_per_block,
                                   const float* gradient,
                                   const BlockGradient& sums) {
    trace_block_backward<float>(field, h, block, rays_per_block, gradient, sums);
}

}  // namespace helioray::kernels
