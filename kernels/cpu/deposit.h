// SPDX-License-Identifier: MIT
// From hits to pixels: whole rays into one pixel, or integer parts into four.
#pragma once

#include "kernels/cpu/tile.h"
#include "kernels/ray/pixel_shares.h"

namespace helioray::kernels {

/// Adds all lanes one by one; several may share a pixel, those that carry nothing add 0.
template <typename Real>
HELIORAY_HD void add_lanes(typename LaneTraits<Real>::Int pixel,
                           typename LaneTraits<Real>::Int quanta,
                           int64_t* pixels) {
    constexpr int kWidth = LaneTraits<Real>::kWidth;
    alignas(64) int32_t index[kWidth];
    alignas(64) int32_t value[kWidth];
    store(index, pixel);
    store(value, quanta);
    // Through memory: GCC would take the lanes out of the registers with shuffles, which is slower.
    __asm__("" : "+m"(index), "+m"(value));
#pragma GCC unroll 32
    for (int l = 0; l < kWidth; ++l) pixels[index[l]] += value[l];
}

/// Range of pixels that lanes have touched.
template <typename Real>
struct TouchedPixels {
    using Int = typename LaneTraits<Real>::Int;
    Int lowest = make_int(INT32_MAX, Real());
    Int highest = make_int(-1, Real());

    HELIORAY_HD void include(typename LaneTraits<Real>::Mask mask, Int low, Int high) {
        lowest = min_(lowest, select(mask, low, lowest));
        highest = max_(highest, select(mask, high, highest));
    }
    HELIORAY_HD void report_to(Tile& tile) const { tile.touch(smallest(lowest), largest(highest)); }
};

/// Deposits quanta, 0 in the lanes that miss, into a tile of width x height pixels.
template <typename Real>
HELIORAY_HD void deposit(const TargetHit<Real>& hit,
                         typename LaneTraits<Real>::Int quanta,
                         FilterKind filter,
                         int32_t width,
                         int32_t height,
                         Tile& tile,
                         TouchedPixels<Real>& touched) {
    if (!any(hit.mask)) return;
    if (filter == FilterKind::box) {
        const auto pixel = nearest_pixel(hit, width, height);
        touched.include(hit.mask, pixel, pixel);
        add_lanes<Real>(pixel, quanta, tile.pixels);
        return;
    }
    const PixelShares<Real> shares = bilinear_shares(hit, quanta, width, height);
    touched.include(hit.mask, shares.pixel[0], shares.pixel[3]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) add_lanes<Real>(shares.pixel[i], shares.quanta[i], tile.pixels);
}

}  // namespace helioray::kernels
