// SPDX-License-Identifier: MIT
// Evaluates surfaces as an operator.
#include "raytracer/operators/surface.h"

#include "raytracer/operators/operator_node.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <tuple>
#include <vector>

namespace helioray::operators {

namespace {

using SurfaceTensors = std::tuple<at::Tensor, at::Tensor>;
using SurfaceGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using SurfaceFunction = SurfaceTensors(const at::Tensor&,
                                       const at::Tensor&,
                                       const at::Tensor&,
                                       at::IntArrayRef);
using SurfaceBackward = SurfaceGradients(const at::Tensor&,
                                         const at::Tensor&,
                                         const at::Tensor&,
                                         const at::Tensor&,
                                         const at::Tensor&,
                                         at::IntArrayRef);

template <typename Signature>
c10::TypedOperatorHandle<Signature> find(const char* name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

void check(const at::Tensor& control_points,
           const at::Tensor& u,
           const at::Tensor& v,
           at::IntArrayRef degrees) {
    TORCH_CHECK(degrees.size() == 2, "degrees must be [u, v], found ", degrees);
    TORCH_CHECK(u.dim() == 1 && u.sym_sizes() == v.sym_sizes(),
                "u and v must be [P] and of equal size, found ",
                u.sym_sizes(),
                " and ",
                v.sym_sizes());
    TORCH_CHECK(control_points.dim() >= 3 && control_points.sym_size(-1) == 3,
                "control_points must be [..., nu, nv, 3], found ",
                control_points.sym_sizes());
}

SurfaceTensors surface(const at::Tensor& control_points,
                       const at::Tensor& u,
                       const at::Tensor& v,
                       at::IntArrayRef degrees) {
    check(control_points, u, v, degrees);
    const SurfacePoints result =
        evaluate_bspline(control_points, {degrees[0], degrees[1]}, at::stack({u, v}, 1));
    return {result.points, result.normals};
}

SurfaceTensors surface_shapes(const at::Tensor& control_points,
                              const at::Tensor& u,
                              const at::Tensor& v,
                              at::IntArrayRef degrees) {
    check(control_points, u, v, degrees);
    std::vector<c10::SymInt> sizes = control_points.sym_sizes().vec();
    sizes.resize(sizes.size() - 3);
    sizes.insert(sizes.end(), {u.sym_size(0), 3});
    return {at::empty_symint(sizes, control_points.options()),
            at::empty_symint(sizes, control_points.options())};
}

SurfaceGradients surface_gradients(const at::Tensor& grad_points,
                                   const at::Tensor& grad_normals,
                                   const at::Tensor& control_points,
                                   const at::Tensor& u,
                                   const at::Tensor& v,
                                   at::IntArrayRef degrees) {
    const Tensors result = gradients_by_recomputing(
        [&](const Tensors& x) {
            const auto [points, normals] = surface(x[0], x[1], x[2], degrees);
            return Tensors{points, normals};
        },
        {control_points, u, v},
        {grad_points, grad_normals});
    return {result[0], result[1], result[2]};
}

SurfaceGradients gradient_shapes(const at::Tensor&,
                                 const at::Tensor&,
                                 const at::Tensor& control_points,
                                 const at::Tensor& u,
                                 const at::Tensor& v,
                                 at::IntArrayRef) {
    const auto like = [](const at::Tensor& tensor) {
        return at::empty_symint(tensor.sym_sizes(), tensor.options());
    };
    return {like(control_points), like(u), like(v)};
}

SurfaceTensors surface_autograd(const at::Tensor& control_points,
                                const at::Tensor& u,
                                const at::Tensor& v,
                                at::IntArrayRef degrees) {
    // Torch records the operations inside, which gives derivatives of any order without repetition.
    if (are_plain({control_points, u, v})) return surface(control_points, u, v, degrees);
    const Tensors result = with_backward(
        "nurbs_surface",
        {control_points, u, v},
        [&] {
            static const auto forward = find<SurfaceFunction>("helioray::nurbs_surface");
            const auto [points, normals] = forward.call(control_points, u, v, degrees);
            return Tensors{points, normals};
        },
        [degrees = degrees.vec()](const Tensors& gradients, const Tensors& x) -> Tensors {
            // Points and normals have one shape; an output that the loss does not use has no
            // gradient.
            const auto defined = [&](size_t i) {
                return gradients[i].defined() ? gradients[i] : at::zeros_like(gradients[1 - i]);
            };
            static const auto backward = find<SurfaceBackward>("helioray::nurbs_surface_backward");
            const auto [of_points, of_u, of_v] =
                backward.call(defined(0), defined(1), x[0], x[1], x[2], degrees);
            return {of_points, of_u, of_v};
        });
    return {result[0], result[1]};
}

SurfaceGradients backward_autograd(const at::Tensor& grad_points,
                                   const at::Tensor& grad_normals,
                                   const at::Tensor& control_points,
                                   const at::Tensor& u,
                                   const at::Tensor& v,
                                   at::IntArrayRef degrees) {
    const Tensors result = without_second_derivative(
        "nurbs_surface_backward",
        kFirstDerivativesOnly,
        {grad_points, grad_normals, control_points, u, v},
        [&] {
            static const auto backward = find<SurfaceBackward>("helioray::nurbs_surface_backward");
            const auto [of_points, of_u, of_v] =
                backward.call(grad_points, grad_normals, control_points, u, v, degrees);
            return Tensors{of_points, of_u, of_v};
        });
    return {result[0], result[1], result[2]};
}

}  // namespace

std::pair<at::Tensor, at::Tensor> nurbs_surface(const at::Tensor& control_points,
                                                const at::Tensor& u,
                                                const at::Tensor& v,
                                                std::array<int64_t, 2> degrees) {
    const auto [points, normals] = surface(control_points, u, v, degrees);
    return {points, normals};
}

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    m.impl("nurbs_surface", surface);
    m.impl("nurbs_surface_backward", surface_gradients);
}

TORCH_LIBRARY_IMPL(helioray, CUDA, m) {
    m.impl("nurbs_surface", surface);
    m.impl("nurbs_surface_backward", surface_gradients);
}

TORCH_LIBRARY_IMPL(helioray, Meta, m) {
    m.impl("nurbs_surface", surface_shapes);
    m.impl("nurbs_surface_backward", gradient_shapes);
}

TORCH_LIBRARY_IMPL(helioray, Autograd, m) {
    m.impl("nurbs_surface", surface_autograd);
    m.impl("nurbs_surface_backward", backward_autograd);
}

}  // namespace helioray::operators
