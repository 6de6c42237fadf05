// SPDX-License-Identifier: MIT
// Adds the two half bitmaps of a unit to the sums of a target and clears them.
#pragma once

#include "kernels/core/longs.h"
#include "kernels/cpu/block_functions.h"

namespace helioray::kernels {

/// Pixels [first, first + width of Longs): where no ray went nothing is written.
template <typename Longs>
HELIORAY_HD void add_pixels(
    int64_t* a, int64_t* b, int64_t first, double square_scale, int64_t* flux, int64_t* square) {
    const Longs one = load_longs(a + first, Longs());
    const Longs other = load_longs(b + first, Longs());
    if (!any(one | other)) return;
    store(flux + first, load_longs(flux + first, Longs()) + (one + other));
    store(square + first,
          load_longs(square + first, Longs()) + scaled_square(one - other, square_scale));
    store(a + first, Longs());
    store(b + first, Longs());
}

/// As many pixels at once as Longs holds, the rest one by one.
template <typename Longs>
HELIORAY_HD void add_tiles(int64_t* a,
                           int64_t* b,
                           int64_t num_pixels,
                           double square_scale,
                           int64_t* flux,
                           int64_t* square) {
    constexpr int kWidth = kLongsWidth<Longs>;
    int64_t first = 0;
    for (; first + kWidth <= num_pixels; first += kWidth)
        add_pixels<Longs>(a, b, first, square_scale, flux, square);
    for (; first < num_pixels; ++first)
        add_pixels<int64_t>(a, b, first, square_scale, flux, square);
}

}  // namespace helioray::kernels
