// SPDX-License-Identifier: MIT
// Pixels of a hit: one, or integer parts of four that add up exactly; and the adjoint for a map of
// the loss's gradient.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/receiver/hit.h"

namespace helioray::kernels {

/// Pixel indices and quanta; the first and last index bound all of them.
template <typename Real>
struct PixelShares {
    using Int = typename LaneTraits<Real>::Int;
    int count;
    Int pixel[4];
    Int quanta[4];
};

/// Returns the pixel of a hit in a bitmap of width x height pixels; any pixel in lanes that miss.
template <typename Real>
HELIORAY_HD auto nearest_pixel(const TargetHit<Real>& hit, int32_t width, int32_t height) {
    const Real any_real = hit.across;
    const Real w(static_cast<float>(width));
    const Real h(static_cast<float>(height));
    const auto zero = make_int(0, any_real);
    // Continuous pixel coordinates are 0 at the left and top edge.
    const auto x = truncate_to_int(fma_(hit.across, w, w * Real(0.5f)));
    const auto y = truncate_to_int(fma_(-hit.up, h, h * Real(0.5f)));
    const auto column = max_(min_(x, make_int(width - 1, any_real)), zero);
    const auto row = max_(min_(y, make_int(height - 1, any_real)), zero);
    return row * make_int(width, any_real) + column;
}

/// The four pixels whose centres surround a hit, and its position between them, [0, 1]. Indices
/// beyond the rim are clamped to it.
template <typename Real>
struct BilinearPlace {
    using Int = typename LaneTraits<Real>::Int;
    Real cx, cy;  ///< coordinates in pixels from the centre of the first pixel, at least 0
    Real fx, fy;  ///< 0 at the left or upper centres, 1 at the others
    Int upper_left, upper_right, lower_left, lower_right;
};

/// Returns the place in a bitmap of width x height pixels; any pixels in lanes that miss.
template <typename Real>
HELIORAY_HD BilinearPlace<Real> bilinear_place(const TargetHit<Real>& hit,
                                               int32_t width,
                                               int32_t height) {
    using Int = typename LaneTraits<Real>::Int;
    const Real any_real = hit.across;
    const Real w(static_cast<float>(width));
    const Real h(static_cast<float>(height));
    const Int row_length = make_int(width, any_real);
    const Int zero = make_int(0, any_real);
    const Int one = make_int(1, any_real);
    const Int last_column = make_int(width - 1, any_real);
    const Int last_row = make_int(height - 1, any_real);
    BilinearPlace<Real> place;
    place.cx = max_(fma_(hit.across, w, fma_(w, Real(0.5f), Real(-0.5f))), Real(0.0f));
    place.cy = max_(fma_(-hit.up, h, fma_(h, Real(0.5f), Real(-0.5f))), Real(0.0f));
    const Int column0 = max_(min_(truncate_to_int(place.cx), last_column), zero);
    const Int row0 = max_(min_(truncate_to_int(place.cy), last_row), zero);
    place.fx = min_(place.cx - to_real(column0, any_real), Real(1.0f));
    place.fy = min_(place.cy - to_real(row0, any_real), Real(1.0f));
    const Int column1 = min_(column0 + one, last_column);
    const Int row1 = min_(row0 + one, last_row);
    HELIORAY_ASSERT(smallest(row0) >= 0 && largest(row1) < height && smallest(column0) >= 0 &&
                        largest(column1) < width,
                    "a hit's pixels are part of the bitmap");
    const Int top = row0 * row_length;
    const Int bottom = row1 * row_length;
    place.upper_left = top + column0;
    place.upper_right = top + column1;
    place.lower_left = bottom + column0;
    place.lower_right = bottom + column1;
    return place;
}

/// Divides quanta bilinearly: weights by the distance from pixel centres, without loss at the rim.
/// Lanes without quanta have parts of 0 for any hit.
template <typename Real>
HELIORAY_HD PixelShares<Real> bilinear_shares(const TargetHit<Real>& hit,
                                              typename LaneTraits<Real>::Int quanta,
                                              int32_t width,
                                              int32_t height) {
    using Int = typename LaneTraits<Real>::Int;
    const Real any_real = hit.across;
    const BilinearPlace<Real> place = bilinear_place(hit, width, height);
    // Split by rows, then each part by columns.
    const Int lower = round_to_int(to_real(quanta, any_real) * place.fy);
    const Int upper = quanta - lower;
    const Int upper_right = round_to_int(to_real(upper, any_real) * place.fx);
    const Int lower_right = round_to_int(to_real(lower, any_real) * place.fx);
    PixelShares<Real> shares;
    shares.count = 4;
    shares.pixel[0] = place.upper_left;
    shares.quanta[0] = upper - upper_right;
    shares.pixel[1] = place.upper_right;
    shares.quanta[1] = upper_right;
    shares.pixel[2] = place.lower_left;
    shares.quanta[2] = lower - lower_right;
    shares.pixel[3] = place.lower_right;
    shares.quanta[3] = lower_right;
    return shares;
}

/// Adjoint of bilinear_shares(): returns the loss's gradient at a place in a bitmap of width x
/// height pixels, bilinear between pixel centres and constant beyond the outer ones. gradient: loss
/// per quantum of each pixel.
template <typename Real>
HELIORAY_HD GradientAtHit<Real> gradient_at_place(const BilinearPlace<Real>& place,
                                                  const float* gradient,
                                                  int32_t width,
                                                  int32_t height) {
    const Real any_real = place.cx;
    const Real w(static_cast<float>(width));
    const Real h(static_cast<float>(height));
    const Real zero(0.0f);
    const Real g00 = gather(gradient, place.upper_left, any_real);
    const Real g01 = gather(gradient, place.upper_right, any_real);
    const Real g10 = gather(gradient, place.lower_left, any_real);
    const Real g11 = gather(gradient, place.lower_right, any_real);
    const Real upper = fma_(place.fx, g01 - g00, g00);
    const Real lower = fma_(place.fx, g11 - g10, g10);
    GradientAtHit<Real> result;
    result.value = fma_(place.fy, lower - upper, upper);
    const Real slope_x = fma_(place.fy, (g11 - g10) - (g01 - g00), g01 - g00);
    result.by_across = select(place.cx > zero, w * slope_x, zero);
    result.by_up = select(place.cy > zero, -h * (lower - upper), zero);
    return result;
}

/// Returns the loss's gradient at a hit. gradient: [height, width], loss per quantum.
template <typename Real>
HELIORAY_HD GradientAtHit<Real> gradient_at(const TargetHit<Real>& hit,
                                            const float* gradient,
                                            int32_t width,
                                            int32_t height) {
    return gradient_at_place(bilinear_place(hit, width, height), gradient, width, height);
}

/// Divides `quanta` over pixels with either filter.
template <typename Real>
HELIORAY_HD PixelShares<Real> pixel_shares(const TargetHit<Real>& hit,
                                           typename LaneTraits<Real>::Int quanta,
                                           FilterKind filter,
                                           int32_t width,
                                           int32_t height) {
    if (filter == FilterKind::bilinear) return bilinear_shares(hit, quanta, width, height);
    PixelShares<Real> shares;
    shares.count = 1;
    shares.pixel[0] = nearest_pixel(hit, width, height);
    shares.quanta[0] = quanta;
    return shares;
}

}  // namespace helioray::kernels
