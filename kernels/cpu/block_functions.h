// SPDX-License-Identifier: MIT
// The block tracer of each instruction set. Each is the only symbol of its translation unit.
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

BlockSums trace_block_portable(const FieldView&, const HeliostatRecord&, int64_t, int64_t, Tile&);
BlockSums trace_block_avx2(const FieldView&, const HeliostatRecord&, int64_t, int64_t, Tile&);
BlockSums trace_block_avx512(const FieldView&, const HeliostatRecord&, int64_t, int64_t, Tile&);

}  // namespace helioray::kernels
