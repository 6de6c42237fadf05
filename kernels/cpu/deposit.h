// SPDX-License-Identifier: MIT
// From hits to pixels: whole rays into one pixel, or integer parts into four.
#pragma once

#include "kernels/cpu/tile.h"
#include "kernels/ray/pixel_shares.h"

namespace helioray::kernels {

/// Adds the lanes in `bits` one by one; several lanes may share a pixel.
template <typename Real>
HELIORAY_HD void add_lanes(typename LaneTraits<Real>::Int pixel,
                           typename LaneTraits<Real>::Int quanta,
                           uint32_t bits,
                           int64_t* pixels) {
    constexpr int kWidth = LaneTraits<Real>::kWidth;
    alignas(64) int32_t index[kWidth];
    alignas(64) int32_t value[kWidth];
    store(index, pixel);
    store(value, quanta);
    if (bits == (kWidth == 32 ? ~0u : (1u << kWidth) - 1u)) {
#pragma GCC unroll 16
        for (int l = 0; l < kWidth; ++l) pixels[index[l]] += value[l];
        return;
    }
    for (; bits != 0; bits &= bits - 1) {
        const int l = __builtin_ctz(bits);
        pixels[index[l]] += value[l];
    }
}

/// Deposits the quanta of the lanes that hit into a tile of width x height pixels.
template <typename Real>
HELIORAY_HD void deposit(const TargetHit<Real>& hit,
                         typename LaneTraits<Real>::Int quanta,
                         FilterKind filter,
                         int32_t width,
                         int32_t height,
                         Tile& tile) {
    const uint32_t bits = lane_bits(hit.mask);
    if (bits == 0) return;
    const PixelShares<Real> shares = pixel_shares(hit, quanta, filter, width, height);
    tile.touch(smallest(select(hit.mask, shares.pixel[0], make_int(INT32_MAX, hit.across))),
               largest(select(hit.mask, shares.pixel[shares.count - 1], make_int(-1, hit.across))));
    for (int i = 0; i < shares.count; ++i)
        add_lanes<Real>(shares.pixel[i], shares.quanta[i], bits, tile.pixels);
}

}  // namespace helioray::kernels
