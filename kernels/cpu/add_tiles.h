// SPDX-License-Identifier: MIT
// Adds the two half bitmaps of a unit to the sums of a target and clears them.
#pragma once

#include "kernels/core/macros.h"
#include "kernels/cpu/block_functions.h"

namespace helioray::kernels {

/// Pixels are looked at in groups; where no ray went nothing is written.
HELIORAY_HD void add_tiles(int64_t* a,
                           int64_t* b,
                           int64_t num_pixels,
                           double square_scale,
                           int64_t* flux,
                           int64_t* square) {
    constexpr int64_t kGroup = 8;
    for (int64_t first = 0; first < num_pixels; first += kGroup) {
        const int64_t end = num_pixels - first < kGroup ? num_pixels : first + kGroup;
        int64_t any = 0;
        for (int64_t p = first; p < end; ++p) any |= a[p] | b[p];
        if (any == 0) continue;
        for (int64_t p = first; p < end; ++p) {
            const auto difference = static_cast<double>(a[p] - b[p]);
            flux[p] += a[p] + b[p];
            square[p] += __builtin_llrint(square_scale * (difference * difference));
            a[p] = 0;
            b[p] = 0;
        }
    }
}

}  // namespace helioray::kernels
