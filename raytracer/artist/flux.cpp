// SPDX-License-Identifier: MIT
// ARTIST's measures of flux bitmaps: centre of mass, crop, trapezoid.
#include "raytracer/artist/flux.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/stack.h>

namespace helioray::artist {
namespace {

// Mean of `columns` [W] and of `rows` [H], weighted with each bitmap: [N] and [N].
std::array<at::Tensor, 2> weighted_means(const at::Tensor& bitmaps,
                                         const at::Tensor& columns,
                                         const at::Tensor& rows) {
    const at::Tensor weights = bitmaps / (bitmaps.sum({1, 2}, true) + 1e-8);
    return {(weights * columns).sum({1, 2}), (weights * rows.unsqueeze(1)).sum({1, 2})};
}

}  // namespace

at::Tensor centre_of_mass(const at::Tensor& bitmaps) {
    const auto [e, u] = weighted_means(bitmaps,
                                       at::arange(bitmaps.size(2), bitmaps.options()),
                                       at::arange(bitmaps.size(1), bitmaps.options()));
    return at::stack({e, u}, 1);
}

at::Tensor crop_around_centre(const at::Tensor& bitmaps,
                              const at::Tensor& extents,
                              double width,
                              double height) {
    const int64_t n = bitmaps.size(0), h = bitmaps.size(1), w = bitmaps.size(2);
    const at::Tensor x = at::linspace(-1, 1, w, bitmaps.options());
    const at::Tensor y = at::linspace(-1, 1, h, bitmaps.options());
    const auto [xc, yc] = weighted_means(bitmaps, x, y);
    const at::Tensor sx = width / extents.select(1, 0).clamp_min(1e-8);
    const at::Tensor sy = height / extents.select(1, 1).clamp_min(1e-8);
    const at::Tensor grid_x =
        (sx.unsqueeze(1) * x + xc.unsqueeze(1)).unsqueeze(1).expand({n, h, w});
    const at::Tensor grid_y =
        (sy.unsqueeze(1) * y + yc.unsqueeze(1)).unsqueeze(2).expand({n, h, w});
    constexpr int64_t kBilinear = 0, kZeros = 0;
    return at::grid_sampler_2d(
               bitmaps.unsqueeze(1), at::stack({grid_x, grid_y}, 3), kBilinear, kZeros, true)
        .squeeze(1);
}

at::Tensor trapezoid(int64_t total, double slope, double plateau) {
    const at::Tensor index = at::arange(total, at::kFloat);
    const at::Tensor beyond = (index - static_cast<double>(total - 1) / 2).abs() - plateau / 2;
    if (slope == 0) return beyond.le(0).to(at::kFloat);
    return 1 - (beyond / slope).clamp(0, 1);
}

}  // namespace helioray::artist
