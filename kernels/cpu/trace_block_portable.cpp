// SPDX-License-Identifier: MIT
// Block tracer: one ray at a time, for processors without AVX2 and as reference.
#include "kernels/cpu/add_tiles.h"
#include "kernels/cpu/trace_block.h"

namespace helioray::kernels {

void trace_blocks_portable(const FieldView& field,
                           const WorkUnit& unit,
                           Tile* halves,
                           PairSums* sums) {
    trace_blocks<float>(field, unit, halves, sums);
}

void add_tiles_portable(int64_t* a,
                        int64_t* b,
                        int64_t num_pixels,
                        double square_scale,
                        int64_t* flux,
                        int64_t* square) {
    add_tiles<int64_t>(a, b, num_pixels, square_scale, flux, square);
}

}  // namespace helioray::kernels
