// SPDX-License-Identifier: MIT
// Depositing ray intensities on a bitmap, exactly: fixed-point sums that do not depend on their
// order.
#pragma once

#include <ATen/core/Tensor.h>

namespace helioray::artist {

/// Bilinear deposit: each ray's intensity is spread over four pixels in proportion to its distance
/// from their centres, every share rounded once to int64 at `scale`. Rays whose four pixels are not
/// all inside are dropped, as are coordinates exactly at the last column or row.
/// @param e, u float32, one shape: column from the east edge, row from the bottom
/// @param intensity float32, same shape
/// @return int64 [height, width], row 0 = top
at::Tensor splat(const at::Tensor& e,
                 const at::Tensor& u,
                 const at::Tensor& intensity,
                 int64_t width,
                 int64_t height,
                 double scale);

/// Largest power of two so that `total`, the sum of the intensities of all rays, stays below 2^61
/// in fixed point; at most 2^44.
double fixed_point_scale(double total);

}  // namespace helioray::artist
