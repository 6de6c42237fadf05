// SPDX-License-Identifier: MIT
// Which pixels a hit belongs to: one, or integer parts of four that add up exactly.
#pragma once

#include "kernels/ray/intersect.h"

namespace helioray::kernels {

/// Pixel indices and quanta; the first and last index bound all of them.
template <typename Real>
struct PixelShares {
    using Int = typename LaneTraits<Real>::Int;
    int count;
    Int pixel[4];
    Int quanta[4];
};

/// The pixel of a hit in a bitmap of width x height pixels; some pixel in lanes that miss.
template <typename Real>
HELIORAY_HD auto nearest_pixel(const TargetHit<Real>& hit, int32_t width, int32_t height) {
    const Real any_real = hit.across;
    const Real w(static_cast<float>(width));
    const Real h(static_cast<float>(height));
    const auto zero = make_int(0, any_real);
    // Continuous pixel coordinates: 0 at the left and top edge.
    const auto x = truncate_to_int(fma_(hit.across, w, w * Real(0.5f)));
    const auto y = truncate_to_int(fma_(-hit.up, h, h * Real(0.5f)));
    const auto column = max_(min_(x, make_int(width - 1, any_real)), zero);
    const auto row = max_(min_(y, make_int(height - 1, any_real)), zero);
    return row * make_int(width, any_real) + column;
}

/// Bilinear shares: weights by the distance from pixel centres; indices beyond the rim fall back on
/// it, so nothing is lost. Lanes without quanta get shares of 0, whatever their hit is.
template <typename Real>
HELIORAY_HD PixelShares<Real> bilinear_shares(const TargetHit<Real>& hit,
                                              typename LaneTraits<Real>::Int quanta,
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
    const Real cx = max_(fma_(hit.across, w, fma_(w, Real(0.5f), Real(-0.5f))), Real(0.0f));
    const Real cy = max_(fma_(-hit.up, h, fma_(h, Real(0.5f), Real(-0.5f))), Real(0.0f));
    const Int column0 = max_(min_(truncate_to_int(cx), last_column), zero);
    const Int row0 = max_(min_(truncate_to_int(cy), last_row), zero);
    const Real fx = min_(cx - to_real(column0, any_real), Real(1.0f));
    const Real fy = min_(cy - to_real(row0, any_real), Real(1.0f));
    const Int column1 = min_(column0 + one, last_column);
    const Int row1 = min_(row0 + one, last_row);
    // Split by rows, then each part by columns.
    const Int lower = round_to_int(to_real(quanta, any_real) * fy);
    const Int upper = quanta - lower;
    const Int upper_right = round_to_int(to_real(upper, any_real) * fx);
    const Int lower_right = round_to_int(to_real(lower, any_real) * fx);
    const Int top = row0 * row_length;
    const Int bottom = row1 * row_length;
    PixelShares<Real> shares;
    shares.count = 4;
    shares.pixel[0] = top + column0;
    shares.quanta[0] = upper - upper_right;
    shares.pixel[1] = top + column1;
    shares.quanta[1] = upper_right;
    shares.pixel[2] = bottom + column0;
    shares.quanta[2] = lower - lower_right;
    shares.pixel[3] = bottom + column1;
    shares.quanta[3] = lower_right;
    return shares;
}

/// Shares of `quanta` by either filter.
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
