// SPDX-License-Identifier: MIT
// Backward block tracer: sixteen lanes of AVX-512.
#include "kernels/core/lane_pair.h"
#include "kernels/core/lanes_avx512.h"
#include "kernels/cpu/trace_block_backward.h"

namespace helioray::kernels {

void trace_block_backward_avx512(const FieldView& field,
                                 const HeliostatRecord& h,
                                 int64_t block,
                                 int64_t rays_per_block,
                                 const float* gradient,
                                 const BlockGradient& sums) {
    trace_block_backward<LanePair<avx512::Lanes>>(field, h, block, rays_per_block, gradient, sums);
}

}  // namespace helioray::kernels
