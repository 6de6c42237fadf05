// SPDX-License-Identifier: MIT
// Canting of facets in ATen.
#include "raytracer/surface/canting.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

namespace helioray {

namespace {

at::Tensor length(const at::Tensor& vectors) {
    return (vectors * vectors).sum(-1, true).sqrt();
}

at::Tensor unit(const at::Tensor& vectors) {
    return vectors / length(vectors);
}

}  // namespace

at::Tensor canting_rotation(const at::Tensor& canting_e, const at::Tensor& canting_n) {
    const at::Tensor e = unit(canting_e);
    const at::Tensor u = unit(at::linalg_cross(e, canting_n));
    const at::Tensor n = unit(at::linalg_cross(u, e));
    return at::stack({e, n, u}, -1);
}

at::Tensor apply_canting(const at::Tensor& rotation, const at::Tensor& vectors) {
    return at::matmul(vectors, rotation.transpose(-2, -1));
}

at::Tensor undo_canting(const at::Tensor& rotation, const at::Tensor& vectors) {
    return at::matmul(vectors, rotation);
}

at::Tensor planar_control_points(const at::Tensor& canting_e,
                                 const at::Tensor& canting_n,
                                 int64_t nu,
                                 int64_t nv) {
    TORCH_CHECK(nu >= 2 && nv >= 2, "a facet needs at least 2 x 2 control points");
    const auto options = canting_e.options().requires_grad(false);
    std::vector<int64_t> shape = canting_e.sizes().vec();
    shape.back() = nu;
    shape.push_back(nv);
    const at::Tensor e =
        (length(canting_e) * at::linspace(-1, 1, nu, options)).unsqueeze(-1).expand(shape);
    const at::Tensor n =
        (length(canting_n) * at::linspace(-1, 1, nv, options)).unsqueeze(-2).expand(shape);
    return at::stack({e, n, at::zeros_like(e)}, -1);
}

}  // namespace helioray
