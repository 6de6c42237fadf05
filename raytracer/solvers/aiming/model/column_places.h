// SPDX-License-Identifier: MIT
// Maps the bins of a column to cells.
#pragma once

#include "kernels/core/column_sums.h"
#include "raytracer/solvers/aiming/model/receiver_grid.h"

#include <bit>

namespace helioray::aiming {

/// Returns a / grid.bins rounded down. The number of bins is a power of two, so a shift replaces
/// the slower division.
inline int cell_of(const ReceiverGrid& grid, int a) {
    return a >> std::countr_zero(static_cast<unsigned>(grid.bins));
}

/// Returns the index of the bin within its cell, the remainder of cell_of().
inline int bin_of(const ReceiverGrid& grid, int a) {
    return a & (grid.bins - 1);
}

/// Returns the number of bins above and below a column for which sums are stored.
inline int pad_of(const ReceiverGrid& grid) {
    return grid.bins + 3;
}

/// Returns the summation functions for this processor's instruction set.
inline const kernels::ColumnSums& sums_of_columns() {
    static const kernels::ColumnSums sums = kernels::column_sums();
    return sums;
}

}  // namespace helioray::aiming
