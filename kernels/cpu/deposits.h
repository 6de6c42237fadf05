// SPDX-License-Identifier: MIT
// Adds the light of vectors of rays to bitmaps.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/cpu/set_functions.h"
#include "kernels/ray/near_surfaces.h"
#include "kernels/receiver/pixels.h"

namespace helioray::kernels {

/// Range of pixels that lanes have touched, and surfaces of receivers in up to 32 groups of
/// consecutive ones.
template <typename Real>
struct TouchedPixels {
    using Int = typename LaneTraits<Real>::Int;
    int group_bits = 0;  ///< binary digits of the number of surfaces in a group
    Int lowest = make_int(INT32_MAX, Real());
    Int highest = make_int(-1, Real());
    Int groups = make_int(0, Real());  ///< bit mask of the touched groups

    HELIORAY_HD explicit TouchedPixels(int32_t num_surfaces) {
        while ((num_surfaces - 1) >> group_bits > 31) ++group_bits;
    }
    HELIORAY_HD void include(typename LaneTraits<Real>::Mask mask, Int low, Int high) {
        lowest = min_where(mask, lowest, low);
        highest = max_where(mask, highest, high);
    }
    /// A single target has no surfaces.
    HELIORAY_HD void include_surfaces(const TargetHit<Real>&) {}
    HELIORAY_HD void include_surfaces(const SurfaceHit<Real>& hit) {
        const Int group = power_of_two(shift_right(hit.surface, group_bits));
        groups = groups | select(hit.front, group, make_int(0, Real()));
    }
    HELIORAY_HD void report_to(Tile& tile, int32_t num_surfaces) const {
        tile.touch(smallest(lowest), largest(highest));
        if (tile.surfaces == nullptr) return;
        alignas(64) int32_t lanes[LaneTraits<Real>::kWidth];
        store(lanes, groups);
        uint32_t all = 0;
        for (const int32_t lane : lanes) all |= static_cast<uint32_t>(lane);
        for (int32_t i = 0; i < num_surfaces; ++i) {
            if ((all >> (i >> group_bits) & 1u) != 0) tile.surfaces[i] = 1;
        }
    }
};

/// The most recently deposited rays. They are added to their pixels one vector later, so that
/// tracing the next rays need not wait for them. loads_ahead: large tiles are loaded into the
/// cache; false leaves no code for it.
template <typename Real, bool loads_ahead>
class PendingRays {
  public:
    using Int = typename LaneTraits<Real>::Int;

    int64_t* bitmap;  ///< destination of the rays

    /// num_pixels: size of all bitmaps; is_large: see Tile.
    HELIORAY_HD PendingRays(int64_t* first_bitmap, int64_t num_pixels, bool is_large)
        : bitmap(first_bitmap), num_pixels_(num_pixels), is_large_(is_large) {}

    HELIORAY_HD void keep(int i, Int pixel, Int quanta) {
        store(pixels_[i], pixel);
        store(quanta_[i], quanta);
        if (loads_ahead && is_large_) prefetch(i);
    }
    HELIORAY_HD void add(const FieldView& field) {
        // Use memory, because GCC would extract the lanes from registers with shuffles, which is
        // slower.
        __asm__("" : "+m"(pixels_), "+m"(quanta_));
        add_lanes(0, bitmap);
        if (field.filter == FilterKind::box) return;
        for (int i = 1; i < 4; ++i) add_lanes(i, bitmap);
    }

  private:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;

    /// Adds the lanes one by one, because several may have the same pixel; rays that miss add 0.
    HELIORAY_HD void add_lanes(int i, int64_t* pixels) const {
#pragma GCC unroll 32
        for (int l = 0; l < kWidth; ++l) {
            HELIORAY_ASSERT(pixels_[i][l] >= 0 && pixels_[i][l] < num_pixels_,
                            "a ray's pixel is part of the bitmap");
            HELIORAY_ASSERT(quanta_[i][l] >= 0, "a ray's quanta are a count");
            pixels[pixels_[i][l]] += quanta_[i][l];
        }
    }

    /// Loads the pixels into the cache while the next rays are traced. With 24 panels of 256 x 256
    /// pixels, rays waited for memory in a third of their time, and are 1.17 times as fast.
    HELIORAY_HD void prefetch(int i) {
        __asm__("" : "+m"(pixels_));
#pragma GCC unroll 32
        for (int l = 0; l < kWidth; ++l) __builtin_prefetch(bitmap + pixels_[i][l], 1);
    }

    [[maybe_unused]] int64_t num_pixels_;
    bool is_large_;  ///< pixels are loaded ahead
    alignas(64) int32_t pixels_[4][kWidth] = {};
    alignas(64) int32_t quanta_[4][kWidth] = {};
};

/// Returns the mask of the rays that hit a map. pixel_of_maps() returns the index of a pixel in the
/// array of all maps.
template <typename Real>
HELIORAY_HD auto lit_rays(const TargetHit<Real>& hit) {
    return hit.mask;
}
template <typename Real, typename Int>
HELIORAY_HD Int pixel_of_maps(const TargetHit<Real>&, Int pixel, int32_t) {
    return pixel;
}
/// In that array the maps of the surfaces of receivers follow each other, num_pixels each.
template <typename Real>
HELIORAY_HD auto lit_rays(const SurfaceHit<Real>& hit) {
    return hit.front;
}
template <typename Real, typename Int>
HELIORAY_HD Int pixel_of_maps(const SurfaceHit<Real>& hit, Int pixel, int32_t num_pixels) {
    return hit.surface * make_int(num_pixels, hit.across) + pixel;
}

/// Stores the rays as pending, for maps of width x height pixels; quanta are 0 in lanes that miss.
template <typename Real, bool loads_ahead, typename Hit>
HELIORAY_HD void deposit(const Hit& hit,
                         typename LaneTraits<Real>::Int quanta,
                         FilterKind filter,
                         int32_t width,
                         int32_t height,
                         PendingRays<Real, loads_ahead>& pending,
                         TouchedPixels<Real>& touched) {
    touched.include_surfaces(hit);
    if (filter == FilterKind::box) {
        const auto pixel = pixel_of_maps(hit, nearest_pixel(hit, width, height), width * height);
        touched.include(lit_rays(hit), pixel, pixel);
        pending.keep(0, pixel, quanta);
        return;
    }
    PixelShares<Real> shares = bilinear_shares(hit, quanta, width, height);
    for (auto& pixel : shares.pixel) pixel = pixel_of_maps(hit, pixel, width * height);
    touched.include(lit_rays(hit), shares.pixel[0], shares.pixel[3]);
    for (int i = 0; i < 4; ++i) pending.keep(i, shares.pixel[i], shares.quanta[i]);
}

}  // namespace helioray::kernels
