// SPDX-License-Identifier: MIT
// Block tracer: eight lanes of AVX2.
#include "kernels/core/lane_pair.h"
#include "kernels/core/lanes_avx2.h"
#include "kernels/cpu/trace_block.h"

namespace helioray::kernels {

BlockSums trace_block_avx2(const FieldView& field,
                           const HeliostatRecord& h,
                           int64_t block,
                           int64_t rays_per_block,
                           Tile& tile) {
    return trace_block<LanePair<avx2::Lanes>>(field, h, block, rays_per_block, tile);
}

}  // namespace helioray::kernels
