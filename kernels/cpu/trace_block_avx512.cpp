// SPDX-License-Identifier: MIT
// Block tracer: sixteen lanes of AVX-512.
#include "kernels/core/lanes_avx512.h"
#include "kernels/cpu/add_tiles.h"
#include "kernels/cpu/ray_lanes.h"
#include "kernels/cpu/trace_block.h"

namespace helioray::kernels {

void trace_blocks_avx512(const FieldView& field,
                         const WorkUnit& unit,
                         Tile* halves,
                         PairSums* sums) {
    trace_blocks<RayLanes<avx512::Lanes>>(field, unit, halves, sums);
}

void add_tiles_avx512(int64_t* a,
                      int64_t* b,
                      int64_t num_pixels,
                      double square_scale,
                      int64_t* flux,
                      int64_t* square) {
    add_tiles<avx512::Longs>(a, b, num_pixels, square_scale, flux, square);
}

}  // namespace helioray::kernels
