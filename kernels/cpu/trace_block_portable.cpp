// SPDX-License-Identifier: MIT
// Block tracer: one ray at a time, for processors without AVX2 and as reference.
#include "kernels/cpu/trace_block.h"

namespace helioray::kernels {

BlockSums trace_block_portable(const FieldView& field,
                               const HeliostatRecord& h,
                               int64_t block,
                               int64_t rays_per_block,
                               Tile& tile) {
    return trace_block<float>(field, h, block, rays_per_block, tile);
}

}  // namespace helioray::kernels
