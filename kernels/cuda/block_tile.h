// SPDX-License-Identifier: MIT
// Bitmaps of a thread block: 32-bit counters in shared memory for a window, and 64-bit numbers in
// global memory for the rest.
//
// These are plain functions of a Machine (atomic add, lower, raise, which return the previous
// value; round to an integer) and a Block (thread, num_threads, sync), so that the CPU can also run
// them.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/core/scalar.h"
#include "kernels/core/trace_types.h"

#include <climits>
#include <cstdint>

namespace helioray::kernels {

/// Rectangle of a bitmap whose counters a thread block stores in shared memory, chosen from a few
/// rays. The window does not affect the sums, only the speed.
struct PixelWindow {
    int32_t row, column;     ///< first row and column
    int32_t rows, columns;   ///< number of rows and columns; 0: empty
    int32_t width;           ///< width of the bitmap, pixels
    uint32_t inverse_width;  ///< 2^32 / width, rounded up; divides by a multiplication

    HELIORAY_HD int32_t size() const { return rows * columns; }

    /// Returns the position of a pixel (row-major index in the bitmap) in the window, row-major; -1
    /// outside.
    HELIORAY_HD int32_t index(int32_t pixel) const {
        // This is exact for bitmaps for which choose_window() returns a window.
        const auto r = static_cast<int32_t>(
            (static_cast<uint64_t>(static_cast<uint32_t>(pixel)) * inverse_width) >> 32);
        const int32_t from_row = r - row;
        const int32_t from_column = pixel - r * width - column;
        const bool inside = static_cast<uint32_t>(from_row) < static_cast<uint32_t>(rows) &&
                            static_cast<uint32_t>(from_column) < static_cast<uint32_t>(columns);
        return inside ? from_row * columns + from_column : -1;
    }

    /// Returns the pixel at a position in [0, size()).
    HELIORAY_HD int32_t pixel(int32_t index) const {
        return (row + index / columns) * width + column + index % columns;
    }
};

/// Distribution of the hits of a sample: sums over hits, in 1/1024 of the bitmap from its centre.
/// 32-bit integers can hold 2^12 hits.
struct ImageMoments {
    enum Sum : int32_t { kCount, kAcross, kUp, kAcrossSquare, kUpSquare, kNumSums };
    static constexpr float kUnit = 1024.0f;
    int32_t sum[kNumSums];
};

/// Returns the contribution of one hit at (across, up) in [-1/2, 1/2].
HELIORAY_HD ImageMoments hit_moments(float across, float up) {
    const int32_t x = round_to_int(across * ImageMoments::kUnit);
    const int32_t y = round_to_int(up * ImageMoments::kUnit);
    return {{1, x, y, x * x, y * y}};
}

/// Returns the standard deviation in pixels for a bitmap of `size` pixels, at least half a pixel.
HELIORAY_HD float image_spread(int32_t count, int32_t sum, int32_t square, int32_t size) {
    const float mean = static_cast<float>(sum) / static_cast<float>(count);
    const float variance = static_cast<float>(square) / static_cast<float>(count) - mean * mean;
    const float pixels =
        sqrt_(max_(variance, 0.0f)) * (static_cast<float>(size) / ImageMoments::kUnit);
    return max_(pixels, 0.5f);
}

/// Returns the first of `part` among `size` pixels for which the centre of the part is at the mean
/// or as close as the bitmap allows.
HELIORAY_HD int32_t window_start(float mean, int32_t part, int32_t size) {
    const float middle = (0.5f + mean / ImageMoments::kUnit) * static_cast<float>(size);
    const int32_t start = round_to_int(middle - 0.5f * static_cast<float>(part));
    return max_(0, min_(start, size - part));
}

/// Returns a window of at most `capacity` pixels about the image, with the image's proportions, or
/// the whole bitmap if it fits. Returns an empty window for bitmaps that are too large for index():
/// width * width * height above 2^32.
HELIORAY_HD PixelWindow choose_window(const ImageMoments& image,
                                      int32_t width,
                                      int32_t height,
                                      int32_t capacity) {
    PixelWindow window{0, 0, 0, 0, width, 0};
    const uint64_t reach =
        static_cast<uint64_t>(width) * static_cast<uint64_t>(width) * static_cast<uint64_t>(height);
    if (capacity < 1 || width < 2 || reach > (uint64_t{1} << 32)) return window;
    window.inverse_width = 0xFFFFFFFFu / static_cast<uint32_t>(width) + 1u;

    const int32_t count = image.sum[ImageMoments::kCount];
    float proportion = static_cast<float>(width) / static_cast<float>(height);
    float across = 0.0f;
    float up = 0.0f;
    if (count > 0) {
        const int32_t* sum = image.sum;
        across = static_cast<float>(sum[ImageMoments::kAcross]) / static_cast<float>(count);
        up = static_cast<float>(sum[ImageMoments::kUp]) / static_cast<float>(count);
        proportion =
            image_spread(
                count, sum[ImageMoments::kAcross], sum[ImageMoments::kAcrossSquare], width) /
            image_spread(count, sum[ImageMoments::kUp], sum[ImageMoments::kUpSquare], height);
    }
    // Use the capacity for rows beyond the bitmap's height for columns instead.
    const float wanted = sqrt_(static_cast<float>(capacity) * proportion);
    int32_t columns = max_(1, min_(round_to_int(wanted), min_(width, capacity)));
    window.rows = min_(height, capacity / columns);
    window.columns = min_(width, capacity / window.rows);
    window.column = window_start(across, window.columns, width);
    window.row = window_start(-up, window.rows, height);
    return window;
}

/// Range of touched pixels outside the window; empty if first > last.
struct PixelRange {
    int32_t first, last;

    HELIORAY_HD static PixelRange none() { return {INT_MAX, -1}; }
};

/// Two bitmaps, one for each half of a unit.
struct BlockTile {
    uint32_t* low;            ///< [2, window.size()], zero between units
    int64_t* spilled;         ///< [2, num_pixels], zero between units
    PixelRange* range;        ///< range of touched pixels outside the window
    int64_t num_pixels;       ///< number of pixels of the bitmap
    int64_t* heliostat_flux;  ///< [num_pixels], map of the heliostat that is traced, or null
};

/// Adds quanta (not negative) to a pixel of a half. A counter that overflows carries 2^32 to
/// `spilled`.
template <typename Machine>
HELIORAY_HD void add_to_tile(
    const BlockTile& tile, const PixelWindow& window, int half, int32_t pixel, int32_t quanta) {
    if (quanta == 0) return;
    HELIORAY_ASSERT(pixel >= 0 && pixel < tile.num_pixels, "a ray's pixel is part of the bitmap");
    HELIORAY_ASSERT(quanta > 0, "a ray's quanta are a count");
    int64_t* const spilled = tile.spilled + half * tile.num_pixels + pixel;
    const auto value = static_cast<uint32_t>(quanta);
    if (tile.heliostat_flux != nullptr)
        Machine::add(tile.heliostat_flux + pixel, static_cast<int64_t>(quanta));
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

/// Destinations of a unit's bitmaps, [num_pixels] each.
struct TileSums {
    double square_scale;  ///< factor of `square`
    int64_t* flux;        ///< sums of both halves
    int64_t* square;      ///< scaled squares of the differences between the halves
    int64_t* difference;  ///< differences between the halves, or null
};

/// Adds both halves of one pixel to the sums.
template <typename Machine>
HELIORAY_HD void add_pixel(const TileSums& sums, int32_t pixel, int64_t a, int64_t b) {
    if ((a | b) == 0) return;
    Machine::add(sums.flux + pixel, a + b);
    if (sums.difference != nullptr) Machine::add(sums.difference + pixel, a - b);
    const auto difference = static_cast<double>(a - b);
    Machine::add(sums.square + pixel,
                 Machine::round(sums.square_scale * (difference * difference)));
}

/// Pixels and surfaces that a block has touched in a SurfaceTile.
struct TouchedSurfaces {
    PixelRange pixels;  ///< range of pixels, the same for the maps of all surfaces
    uint32_t groups;    ///< bit mask of groups of 2^group_bits consecutive maps
    int32_t group_bits;

    HELIORAY_HD static TouchedSurfaces none(int32_t num_maps) {
        TouchedSurfaces touched{PixelRange::none(), 0, 0};
        while ((num_maps - 1) >> touched.group_bits > 31) ++touched.group_bits;
        return touched;
    }
    HELIORAY_HD bool contains(int32_t surface) const {
        return (groups >> (surface >> group_bits) & 1u) != 0;
    }
    HELIORAY_HD void include(int32_t surface, int32_t first, int32_t last) {
        groups |= 1u << (surface >> group_bits);
        pixels.first = min_(pixels.first, first);
        pixels.last = max_(pixels.last, last);
    }
};

/// Two bitmaps of the surfaces of all receivers, one for each half of a unit: a map for each
/// surface, then one of the incident light on each if they reflect. They have no window: an image
/// lies on several panels, each with a map of its own.
struct SurfaceTile {
    int64_t* spilled;           ///< [2, num_maps, num_pixels], zero between units
    TouchedSurfaces* touched;   ///< shared by the block
    int64_t* power_difference;  ///< shared by the block, zero between units
    int32_t num_maps;           ///< number of maps of a half
    int64_t num_pixels;         ///< number of pixels of one map
    int64_t* heliostat_flux;    ///< [num_pixels], map of the heliostat that is traced, or null
    int32_t own_map;            ///< index of the map of this heliostat's target

    /// Returns the maps of one half.
    HELIORAY_HD int64_t* half(int i) const { return spilled + i * num_maps * num_pixels; }
};

/// Adds quanta (not negative) to a pixel of map `surface` of the tile, which is map `map` of the
/// field.
template <typename Machine>
HELIORAY_HD void add_to_surface(const SurfaceTile& tile,
                                int half,
                                int32_t surface,
                                int32_t map,
                                int32_t pixel,
                                int32_t quanta) {
    if (quanta == 0) return;
    HELIORAY_ASSERT(pixel >= 0 && pixel < tile.num_pixels, "a ray's pixel is part of the bitmap");
    HELIORAY_ASSERT(quanta > 0, "a ray's quanta are a count");
    Machine::add(tile.half(half) + surface * tile.num_pixels + pixel, static_cast<int64_t>(quanta));
    if (tile.heliostat_flux != nullptr && map == tile.own_map)
        Machine::add(tile.heliostat_flux + pixel, static_cast<int64_t>(quanta));
}

/// Returns the index among the field's maps of a map of a tile, as surface_maps() has them.
HELIORAY_HD int32_t map_of_tile(const FieldView& field, int32_t i) {
    return i < field.num_surfaces ? field.surfaces[i].target
                                  : field.num_targets + i - field.num_surfaces;
}

/// Adds both halves of all surfaces to the sums and clears them, as flush_tile().
template <typename Machine, typename Block>
HELIORAY_HD void flush_surfaces(const SurfaceTile& tile,
                                const FieldView& field,
                                const SumsView& sums,
                                const Block& block) {
    const TouchedSurfaces touched = *tile.touched;
    for (int32_t i = 0; i < tile.num_maps; ++i) {
        if (!touched.contains(i)) continue;
        const int32_t map = map_of_tile(field, i);
        const int64_t first = map * tile.num_pixels;
        const TileSums to{field.square_scale,
                          sums.flux + first,
                          sums.flux_square + first,
                          sums.flux_difference == nullptr ? nullptr : sums.flux_difference + first};
        int64_t* const a = tile.half(0) + i * tile.num_pixels;
        int64_t* const b = tile.half(1) + i * tile.num_pixels;
        int64_t difference = 0;
        for (int64_t p = touched.pixels.first + int64_t{block.thread()}; p <= touched.pixels.last;
             p += block.num_threads()) {
            if ((a[p] | b[p]) == 0) continue;
            add_pixel<Machine>(to, static_cast<int32_t>(p), a[p], b[p]);
            difference += a[p] - b[p];
            a[p] = b[p] = 0;
        }
        Machine::add(tile.power_difference, difference);
        block.sync();
        if (block.thread() == 0) {
            const auto power = static_cast<double>(*tile.power_difference);
            if (sums.surface_square != nullptr)
                Machine::add(sums.surface_square + map,
                             Machine::round(field.square_scale * (power * power)));
            *tile.power_difference = 0;
        }
        block.sync();
    }
    // Without touched maps, no barrier has been passed since the threads read them.
    block.sync();
    if (block.thread() == 0) *tile.touched = TouchedSurfaces::none(tile.num_maps);
    block.sync();
}

/// Adds both halves to the sums and clears them. All threads of a block must call it together,
/// after all of them have added to the tile.
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
