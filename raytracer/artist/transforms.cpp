// SPDX-License-Identifier: MIT
// Elementary 4 x 4 transforms of column vectors, and their combination for ray distortions.
#include "raytracer/artist/transforms.h"

#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include <array>

namespace helioray::artist {
namespace {

at::Tensor matrix(const std::array<at::Tensor, 16>& entries) {
    const at::Tensor stacked = at::stack(at::TensorList(entries.data(), entries.size()), -1);
    auto shape = entries[0].sizes().vec();
    shape.insert(shape.end(), {4, 4});
    return stacked.reshape(shape);
}

}  // namespace

at::Tensor rotate_e(const at::Tensor& angle) {
    const at::Tensor c = angle.cos(), s = angle.sin(), o = at::zeros_like(c), i = at::ones_like(c);
    return matrix({i, o, o, o, o, c, -s, o, o, s, c, o, o, o, o, i});
}

at::Tensor rotate_n(const at::Tensor& angle) {
    const at::Tensor c = angle.cos(), s = angle.sin(), o = at::zeros_like(c), i = at::ones_like(c);
    return matrix({c, o, -s, o, o, i, o, o, s, o, c, o, o, o, o, i});
}

at::Tensor rotate_u(const at::Tensor& angle) {
    const at::Tensor c = angle.cos(), s = angle.sin(), o = at::zeros_like(c), i = at::ones_like(c);
    return matrix({c, -s, o, o, s, c, o, o, o, o, i, o, o, o, o, i});
}

at::Tensor translate(const at::Tensor& e, const at::Tensor& n, const at::Tensor& u) {
    const at::Tensor o = at::zeros_like(e), i = at::ones_like(e);
    return matrix({i, o, o, e, o, i, o, n, o, o, i, u, o, o, o, i});
}

Components distort(const Components& direction, const at::Tensor& east, const at::Tensor& up) {
    const at::Tensor cu = up.cos(), su = up.sin(), ce = east.cos(), se = east.sin();
    const auto& [x, y, z] = direction;
    const at::Tensor turned = su * x + cu * y;
    return {cu * x - su * y, ce * turned - se * z, se * turned + ce * z};
}

at::Tensor normalized(const at::Tensor& vectors) {
    return vectors / at::linalg_vector_norm(vectors, 2, -1, true).clamp_min(1e-12);
}

}  // namespace helioray::artist
