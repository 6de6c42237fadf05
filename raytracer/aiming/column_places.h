// SPDX-License-Identifier: MIT
// Places of the bins of a column in cells.
#pragma once

#include "kernels/core/column_sums.h"
#include "raytracer/aiming/receiver_grid.h"

#include <bit>

namespace helioray::aiming {

/// a / grid.bins, rounded down: bins are a power of two, and a division takes many cycles.
inline int cell_of(const ReceiverGrid& grid, int a) {
    return a >> std::countr_zero(static_cast<unsigned>(grid.bins));
}

/// Bin within its cell: what cell_of() leaves.
inline int bin_of(const ReceiverGrid& grid, int a) {
    return a & (grid.bins - 1);
}

/// Bins above and below a column for which sums are stored.
inline int pad_of(const ReceiverGrid& grid) {
    return grid.bins + 3;
}

/// The sums of this processor's instruction set.
inline const kernels::ColumnSums& sums_of_columns() {
    static const kernels::ColumnSums sums = kernels::column_sums();
    return sums;
}

}  // namespace helioray::aiming
