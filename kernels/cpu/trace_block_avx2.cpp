// SPDX-License-Identifier: MIT
// Block tracer: eight lanes of AVX2.
#include "kernels/core/lanes_avx2.h"
#include "kernels/cpu/add_tiles.h"
#include "kernels/cpu/ray_lanes.h"
#include "kernels/cpu/trace_block.h"

namespace helioray::kernels {

BlockSums trace_block_avx2(const FieldView& field,
                           const HeliostatRecord& h,
                           int64_t block,
                           int64_t rays_per_block,
                           Tile& tile) {
    return trace_block<RayLanes<avx2::Lanes>>(field, h, block, rays_per_block, tile);
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
