// SPDX-License-Identifier: MIT
// Surfaces as an operator.
#include "raytracer/operators/surface.h"

#include "raytracer/surface/bspline.h"

#include <ATen/ops/stack.h>
#include <torch/library.h>

#include <tuple>

namespace helioray::operators {

namespace {

std::tuple<at::Tensor, at::Tensor> surface_operator(const at::Tensor& control_points,
                                                    const at::Tensor& u,
                                                    const at::Tensor& v,
                                                    at::IntArrayRef degrees) {
    TORCH_CHECK(degrees.size() == 2, "degrees must be [u, v], found ", degrees);
    return nurbs_surface(control_points, u, v, {degrees[0], degrees[1]});
}

}  // namespace

std::pair<at::Tensor, at::Tensor> nurbs_surface(const at::Tensor& control_points,
                                                const at::Tensor& u,
                                                const at::Tensor& v,
                                                std::array<int64_t, 2> degrees) {
    TORCH_CHECK(u.dim() == 1 && u.sizes() == v.sizes(),
                "u and v must be [P] and of equal size, found ",
                u.sizes(),
                " and ",
                v.sizes());
    const SurfacePoints surface = evaluate_bspline(control_points, degrees, at::stack({u, v}, 1));
    return {surface.points, surface.normals};
}

TORCH_LIBRARY_IMPL(helioray, CompositeImplicitAutograd, m) {
    m.impl("nurbs_surface", surface_operator);
}

}  // namespace helioray::operators
