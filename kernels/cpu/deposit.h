// SPDX-License-Identifier: MIT
// From hits to pixels: whole rays into one pixel, or integer parts into four.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/cpu/tile.h"
#include "kernels/ray/pixel_shares.h"

namespace helioray::kernels {

/// Range of pixels that lanes have touched.
template <typename Real>
struct TouchedPixels {
    using Int = typename LaneTraits<Real>::Int;
    Int lowest = make_int(INT32_MAX, Real());
    Int highest = make_int(-1, Real());

    HELIORAY_HD void include(typename LaneTraits<Real>::Mask mask, Int low, Int high) {
        lowest = min_where(mask, lowest, low);
        highest = max_where(mask, highest, high);
    }
    HELIORAY_HD void report_to(Tile& tile) const { tile.touch(smallest(lowest), largest(highest)); }
};

/// The rays deposited last. They are added to their pixels one vector of rays late: while the next
/// rays are traced, these need not be waited for.
template <typename Real>
class PendingRays {
  public:
    using Int = typename LaneTraits<Real>::Int;

    int64_t* bitmap;  ///< what the rays are to be added to

    HELIORAY_HD explicit PendingRays(int64_t* first_bitmap) : bitmap(first_bitmap) {}

    HELIORAY_HD void keep(int i, Int pixel, Int quanta) {
        store(pixels_[i], pixel);
        store(quanta_[i], quanta);
    }
    HELIORAY_HD void add(const FieldView& field) {
        // Through memory: GCC would take the lanes out of registers with shuffles, which is slower.
        __asm__("" : "+m"(pixels_), "+m"(quanta_));
        const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
        add_lanes(0, bitmap, num_pixels);
        if (field.filter == FilterKind::box) return;
        for (int i = 1; i < 4; ++i) add_lanes(i, bitmap, num_pixels);
    }

  private:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;

    /// One by one; several may share a pixel, those that carry nothing add 0.
    HELIORAY_HD void add_lanes(int i, int64_t* pixels, [[maybe_unused]] int64_t num_pixels) const {
#pragma GCC unroll 32
        for (int l = 0; l < kWidth; ++l) {
            HELIORAY_ASSERT(pixels_[i][l] >= 0 && pixels_[i][l] < num_pixels,
                            "a ray's pixel is part of the bitmap");
            HELIORAY_ASSERT(quanta_[i][l] >= 0, "a ray's quanta are a count");
            pixels[pixels_[i][l]] += quanta_[i][l];
        }
    }

    alignas(64) int32_t pixels_[4][kWidth] = {};
    alignas(64) int32_t quanta_[4][kWidth] = {};
};

/// Makes rays the pending ones of a bitmap of width x height pixels; quanta are 0 in the lanes that
/// miss.
template <typename Real>
HELIORAY_HD void deposit(const TargetHit<Real>& hit,
                         typename LaneTraits<Real>::Int quanta,
                         FilterKind filter,
                         int32_t width,
                         int32_t height,
                         PendingRays<Real>& pending,
                         TouchedPixels<Real>& touched) {
    if (filter == FilterKind::box) {
        const auto pixel = nearest_pixel(hit, width, height);
        touched.include(hit.mask, pixel, pixel);
        pending.keep(0, pixel, quanta);
        return;
    }
    const PixelShares<Real> shares = bilinear_shares(hit, quanta, width, height);
    touched.include(hit.mask, shares.pixel[0], shares.pixel[3]);
    for (int i = 0; i < 4; ++i) pending.keep(i, shares.pixel[i], shares.quanta[i]);
}

}  // namespace helioray::kernels
