// SPDX-License-Identifier: MIT
// ARTIST's measures of flux bitmaps: centre of mass, crop, trapezoid, world points of pixels.
#include "tests/raytracer/artist/artist_measures.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones_like.h>
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

at::Tensor on_plane(const PlanarTarget& plane, const at::Tensor& en, const at::Tensor& un) {
    const at::Tensor zero = en * 0;
    return at::stack({plane.center[0] + (0.5 - en) * plane.width,
                      plane.center[1] + zero,
                      plane.center[2] + (0.5 - un) * plane.height,
                      at::ones_like(en)},
                     1);
}

at::Tensor on_cylinder(const CylindricalTarget& c, const at::Tensor& en, const at::Tensor& un) {
    const Vec3& a = c.axis;
    const Vec3& n = c.normal;
    const Vec3 side{
        a[1] * n[2] - a[2] * n[1], a[2] * n[0] - a[0] * n[2], a[0] * n[1] - a[1] * n[0]};
    const at::Tensor angle = (en - 0.5) * c.opening_angle;
    const at::Tensor z = (0.5 - un) * c.height;
    const at::Tensor along_normal = c.radius * angle.cos(), along_side = c.radius * angle.sin();
    std::array<at::Tensor, 3> p;
    for (size_t k = 0; k < 3; ++k) {
        p[k] = c.center[k] + along_normal * n[k] + along_side * side[k] + z * a[k];
    }
    return at::stack({p[0], p[1], p[2], at::ones_like(en)}, 1);
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

at::Tensor bitmap_to_target(
    const Target& target, const at::Tensor& e, const at::Tensor& u, int64_t width, int64_t height) {
    const at::Tensor en = (e + 0.5) / static_cast<double>(width);
    const at::Tensor un = (u + 0.5) / static_cast<double>(height);
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
        return on_plane(*plane, en, un);
    }
    return on_cylinder(std::get<CylindricalTarget>(target.geometry), en, un);
}

}  // namespace helioray::artist
