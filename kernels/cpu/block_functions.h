// SPDX-License-Identifier: MIT
// The tracer of each instruction set, and what adds up its bitmaps: the only symbols of their
// translation units.
#pragma once

#include "kernels/cpu/tile.h"
#include "kernels/trace_types.h"

namespace helioray::kernels {

/// Quanta of one block.
struct BlockSums {
    int64_t energy[kNumEnergySums];
};

/// Quanta of both blocks of a pair.
struct PairSums {
    BlockSums half[2];
};

/// Traces both blocks of every heliostat of the unit into the two halves; sums [num_heliostats].
using TraceBlocks = void (*)(const FieldView& field,
                             const WorkUnit& unit,
                             Tile* halves,
                             PairSums* sums);

/// Adds two half bitmaps to the flux and the squares of their differences; see add_tiles.h.
using AddTiles = void (*)(int64_t* a,
                          int64_t* b,
                          int64_t num_pixels,
                          double square_scale,
                          int64_t* flux,
                          int64_t* square);

/// What an instruction set has its own code for.
struct BlockFunctions {
    TraceBlocks trace_blocks;
    AddTiles add_tiles;
};

void trace_blocks_portable(const FieldView&, const WorkUnit&, Tile*, PairSums*);
void trace_blocks_avx2(const FieldView&, const WorkUnit&, Tile*, PairSums*);
void trace_blocks_avx512(const FieldView&, const WorkUnit&, Tile*, PairSums*);
void add_tiles_portable(int64_t*, int64_t*, int64_t, double, int64_t*, int64_t*);
void add_tiles_avx2(int64_t*, int64_t*, int64_t, double, int64_t*, int64_t*);
void add_tiles_avx512(int64_t*, int64_t*, int64_t, double, int64_t*, int64_t*);

}  // namespace helioray::kernels
