// SPDX-License-Identifier: MIT
// The block tracer of each instruction set, and what adds up its bitmaps: the only symbols of their
// translation units.
#pragma once

#include "kernels/cpu/tile.h"
#include "kernels/trace_types.h"

namespace helioray::kernels {

/// Quanta of one block.
struct BlockSums {
    int64_t energy[kNumEnergySums];
};

/// Traces all rays of one block of heliostat h into tile and returns its sums.
using TraceBlock = BlockSums (*)(const FieldView& field,
                                 const HeliostatRecord& h,
                                 int64_t block,
                                 int64_t rays_per_block,
                                 Tile& tile);

/// Adds two half bitmaps to the flux and the squares of their differences; see add_tiles.h.
using AddTiles = void (*)(int64_t* a,
                          int64_t* b,
                          int64_t num_pixels,
                          double square_scale,
                          int64_t* flux,
                          int64_t* square);

/// What an instruction set has its own code for.
struct BlockFunctions {
    TraceBlock trace_block;
    AddTiles add_tiles;
};

BlockSums trace_block_portable(const FieldView&, const HeliostatRecord&, int64_t, int64_t, Tile&);
BlockSums trace_block_avx2(const FieldView&, const HeliostatRecord&, int64_t, int64_t, Tile&);
BlockSums trace_block_avx512(const FieldView&, const HeliostatRecord&, int64_t, int64_t, Tile&);
void add_tiles_portable(int64_t*, int64_t*, int64_t, double, int64_t*, int64_t*);
void add_tiles_avx2(int64_t*, int64_t*, int64_t, double, int64_t*, int64_t*);
void add_tiles_avx512(int64_t*, int64_t*, int64_t, double, int64_t*, int64_t*);

}  // namespace helioray::kernels
