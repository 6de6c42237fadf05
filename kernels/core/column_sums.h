// SPDX-License-Identifier: MIT
// Sums over light in columns of bins, which moves up and down in whole and broken bins.
#pragma once

#include "kernels/core/instruction_set.h"

#include <cstdint>

namespace helioray::kernels {

/// Steps in which the light of a column is kept: from 0 to all of it.
inline constexpr int kLightSteps = 65535;
/// Values that are added at once. So many may be read beyond the last one that counts, of taps and
/// of factors.
inline constexpr int kColumnLanes = 8;
/// Sums that correlate() makes at once.
inline constexpr int kCorrelated = 16;

/// Three neighbouring shifts of a column: tap[k][i] is the light above edge i at shift k, in
/// kLightSteps.
struct ColumnTaps {
    const uint16_t* tap[3];
};

/// Sums over columns, by the code of one instruction set. All sets give the same results bit for
/// bit.
struct ColumnSums {
    /// cells[i] += e[i + 1] - e[i] for i < num_cells, where e = sum over k of weights[k] tap[k].
    void (*add)(const ColumnTaps& taps, const double* weights, int num_cells, double* cells);

    /// Adds scale times the sum over i < num_edges - 1 of factors[i] tap[k][i], and last
    /// tap[k][num_edges - 1], to the sum of sums[kColumnLanes k ...]: in parts, which the caller
    /// adds up in the end.
    void (*dot)(const ColumnTaps& taps,
                const double* factors,
                double last,
                int num_edges,
                double scale,
                double* sums);

    /// to[q] += sum over r < num_factors of factors[r] from[q + r], for q < num_sums rounded up to
    /// a multiple of kCorrelated.
    void (*correlate)(
        const float* from, const float* factors, int num_factors, int num_sums, float* to);
};

/// The functions of the set that resolve_instruction_set() chooses; throws as that does.
ColumnSums column_sums(InstructionSet wanted = InstructionSet::automatic);

}  // namespace helioray::kernels
