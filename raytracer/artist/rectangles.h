// SPDX-License-Identifier: MIT
// Mirrors as flat rectangles, for blocking.
#pragma once

#include <ATen/core/Tensor.h>

namespace helioray::artist {

/// K rectangles, float32 on the CPU.
struct Rectangles {
    at::Tensor corners;  ///< [K, 4, 3] metres: lower left, upper left, upper right, lower right
    at::Tensor span_u;   ///< [K, 3] upper left - lower left
    at::Tensor span_v;   ///< [K, 3] lower right - lower left
    at::Tensor normals;  ///< [K, 3] unit, span_u x span_v
};

/// Indices of the four corner points among a heliostat's P surface points, in the order of
/// Rectangles::corners. Valid only for four facets ordered (-e, +n), (+e, +n), (-e, -n), (+e, -n)
/// with square grids (P33).
at::Tensor corner_indices(int64_t num_points);

/// @param corners float32 [K, 4, 3] metres
Rectangles make_rectangles(const at::Tensor& corners);

}  // namespace helioray::artist
