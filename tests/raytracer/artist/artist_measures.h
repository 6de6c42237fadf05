// SPDX-License-Identifier: MIT
// ARTIST's measures of flux bitmaps, with which tests compare: centre of mass, crop, trapezoid,
// world points of pixels.
#pragma once

#include "scenario/types/types.h"

#include <ATen/core/Tensor.h>

namespace helioray::artist {

/// Centre of mass in pixels: float [N, H, W] -> [N, 2], (column, row from the top); (0, 0) for an
/// empty bitmap.
at::Tensor centre_of_mass(const at::Tensor& bitmaps);

/// Bitmaps [N, H, W] resampled to a window around their centres of mass; same number of pixels,
/// bilinear, zeros outside. Values are interpolated densities, so the sum is not kept.
/// @param extents float [N, 2] widths and heights of the targets, metres
/// @param width, height of the window, metres
at::Tensor crop_around_centre(const at::Tensor& bitmaps,
                              const at::Tensor& extents,
                              double width = 6.0,
                              double height = 6.0);

/// One-dimensional trapezoid of `total` values: 1 on the plateau, falling to 0 over `slope` values
/// on each side.
at::Tensor trapezoid(int64_t total, double slope, double plateau);

/// World point of pixel coordinates (column e, row u from the top), metres. Not the inverse of the
/// intersections' mapping: the width is spread over W, not W - 1 pixel steps, and planes count as
/// axis aligned (P40).
/// @param e, u float32 [N] -> float32 [N, 4], last = 1
at::Tensor bitmap_to_target(
    const Target& target, const at::Tensor& e, const at::Tensor& u, int64_t width, int64_t height);

}  // namespace helioray::artist
