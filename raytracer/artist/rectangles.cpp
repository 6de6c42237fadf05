// SPDX-License-Identifier: MIT
// Mirrors as flat rectangles, for blocking.
#include "raytracer/artist/rectangles.h"

#include "raytracer/artist/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/tensor.h>

#include <cmath>

namespace helioray::artist {

at::Tensor corner_indices(int64_t num_points) {
    const auto n = static_cast<int64_t>(std::sqrt(static_cast<double>(num_points) / 4));
    const int64_t lower_left = num_points / 2, lower_right = num_points - n;
    const int64_t upper_right = num_points / 2 - 1, upper_left = n - 1;
    return at::tensor({lower_left, upper_left, upper_right, lower_right});
}

Rectangles make_rectangles(const at::Tensor& corners) {
    const at::Tensor lower_left = corners.select(1, 0);
    const at::Tensor span_u = corners.select(1, 1) - lower_left;
    const at::Tensor span_v = corners.select(1, 3) - lower_left;
    return {corners, span_u, span_v, normalized(at::linalg_cross(span_u, span_v))};
}

}  // namespace helioray::artist
