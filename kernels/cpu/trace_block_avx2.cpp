// SPDX-License-Identifier: MIT
// Block tracer: eight lanes of AVX2.
#include "kernels/core/lanes_avx2.h"
#include "kernels/cpu/add_tiles.h"
#include "kernels/cpu/ray_lanes.h"
#include "kernels/cpu/trace_block.h"

namespace helioray::kernels {

void trace_blocks_avx2(const FieldView& field, const WorkUnit& unit, Tile* halves, PairSums* sums) {
    trace_blocks<RayLanes<avx2::Lanes>>(field, unit, halves, sums);
}

void add_tiles_avx2(int64_t* a,
                    int64_t* b,
                    int64_t num_pixels,
                    double square_scale,
                    int64_t* flux,
                    int64_t* square) {
    add_tiles<avx2::Longs>(a, b, num_pixels, square_scale, flux, square);
}

}  // namespace helioray::kernels
