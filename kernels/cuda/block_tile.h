// SPDX-License-Identifier: MIT
// The bitmaps of a thread block: counters of 32 bits in shared memory for a window, 64 bits in
// global memory for what they cannot hold.
//
// Plain functions of a Machine (atomic add, lower, raise, which return what was there; round to an
// integer) and a Block (thread, num_threads, sync), so that the CPU can run them as well.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/cuda/pixel_window.h"

#include <climits>
#include <cstdint>

namespace helioray::kernels {

/// Pixels outside the window that were added to; first > last: none.
struct PixelRange {
    int32_t first, last;

    HELIORAY_HD static PixelRange none() { return {INT_MAX, -1}; }
};

/// Two bitmaps, one for each half of a unit.
struct BlockTile {
    uint32_t* low;      ///< [2, window.size()], zero between units
    int64_t* spilled;   ///< [2, num_pixels], zero between units
    PixelRange* range;  ///< of pixels outside the window
    int64_t num_pixels;
};

/// Adds quanta (not negative) to a pixel of a half. A counter that overflows hands 2^32 on.
template <typename Machine>
HELIORAY_HD void add_to_tile(
    const BlockTile& tile, const PixelWindow& window, int half, int32_t pixel, int32_t quanta) {
    if (quanta == 0) return;
    HELIORAY_ASSERT(pixel >= 0 && pixel < tile.num_pixels, "a ray's pixel is part of the bitmap");
    HELIORAY_ASSERT(quanta > 0, "a ray's quanta are a count");
    int64_t* const spilled = tile.spilled + half * tile.num_pixels + pixel;
    const auto value = static_cast<uint32_t>(quanta);
    const int32_t i = window.index(pixel);
    if (i >= 0) {
        const uint32_t held = Machine::add(tile.low + half * window.size() + i, value);
        if (held > ~value) Machine::add(spilled, int64_t{1} << 32);
        return;
    }
    Machine::add(spilled, static_cast<int64_t>(quanta));
    Machine::lower(&tile.range->first, pixel);
    Machine::raise(&tile.range->last, pixel);
}

/// Where a unit's bitmaps go: [num_pixels] each.
struct TileSums {
    double square_scale;
    int64_t* flux;
    int64_t* square;
    int64_t* heliostat_flux;  ///< or null
};

/// Adds one pixel's halves.
template <typename Machine>
HELIORAY_HD void add_pixel(const TileSums& sums, int32_t pixel, int64_t a, int64_t b) {
    if ((a | b) == 0) return;
    Machine::add(sums.flux + pixel, a + b);
    const auto difference = static_cast<double>(a - b);
    Machine::add(sums.square + pixel,
                 Machine::round(sums.square_scale * (difference * difference)));
    if (sums.heliostat_flux != nullptr) Machine::add(sums.heliostat_flux + pixel, a + b);
}

/// Adds both halves to the sums and clears them. All threads of a block call it together, after
/// all of them have added to the tile.
template <typename Machine, typename Block>
HELIORAY_HD void flush_tile(const BlockTile& tile,
                            const PixelWindow& window,
                            const TileSums& sums,
                            const Block& block) {
    const int32_t size = window.size();
    int64_t* const spilled[2] = {tile.spilled, tile.spilled + tile.num_pixels};
    for (int32_t i = block.thread(); i < size; i += block.num_threads()) {
        const int32_t p = window.pixel(i);
        const int64_t a = spilled[0][p] + tile.low[i];
        const int64_t b = spilled[1][p] + tile.low[size + i];
        add_pixel<Machine>(sums, p, a, b);
        tile.low[i] = tile.low[size + i] = 0;
        if (spilled[0][p] != 0) spilled[0][p] = 0;
        if (spilled[1][p] != 0) spilled[1][p] = 0;
    }
    block.sync();
    const PixelRange range = *tile.range;
    for (int64_t p = range.first + int64_t{block.thread()}; p <= range.last;
         p += block.num_threads()) {
        const auto pixel = static_cast<int32_t>(p);
        add_pixel<Machine>(sums, pixel, spilled[0][p], spilled[1][p]);
        spilled[0][p] = spilled[1][p] = 0;
    }
    block.sync();
    if (block.thread() == 0) *tile.range = PixelRange::none();
    block.sync();
}

}  // namespace helioray::kernels
