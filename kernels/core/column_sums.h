// SPDX-License-Identifier: MIT
// Sums over columns of light in bins, shifted by whole and fractional bins.
#pragma once

#include "kernels/core/instruction_set.h"

#include <cstdint>

namespace helioray::kernels {

/// Number of steps in which the light of a column is stored: from 0 to all of it.
inline constexpr int kLightSteps = 65535;
/// Number of values that are added at once. This many values may be read beyond the last used one,
/// both of taps and of factors.
inline constexpr int kColumnLanes = 8;
/// Number of sums that correlate() computes at once.
inline constexpr int kCorrelated = 16;

/// Three neighbouring shifts of a column: tap[k][i] is the light above edge i at shift k, in units
/// of 1 / kLightSteps.
struct ColumnTaps {
    const uint16_t* tap[3];
};

/// Sums over columns with the code of one instruction set. All sets give bitwise equal results.
struct ColumnSums {
    /// Adds e[i + 1] - e[i] to cells[i] for i < num_cells, where e = sum over k of weights[k]
    /// tap[k].
    void (*add)(const ColumnTaps& taps, const double* weights, int num_cells, double* cells);

    /// Computes scale times (the sum over i < num_edges - 1 of factors[i] tap[k][i], plus last
    /// tap[k][num_edges - 1]) and adds it in parts to sums[kColumnLanes k ...], which the caller
    /// adds up at the end.
    void (*dot)(const ColumnTaps& taps,
                const double* factors,
                double last,
                int num_edges,
                double scale,
                double* sums);

    /// Adds the sum over r < num_factors of factors[r] from[q + r] to to[q], for q < num_sums
    /// rounded up to a multiple of kCorrelated.
    void (*correlate)(
        const float* from, const float* factors, int num_factors, int num_sums, float* to);
};

/// Returns the functions of the set that resolve_instruction_set() chooses; throws like it.
ColumnSums column_sums(InstructionSet wanted = InstructionSet::automatic);

}  // namespace helioray::kernels
