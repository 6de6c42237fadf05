// SPDX-License-Identifier: MIT
// Shapes of the operators' results, without data.
#include "raytracer/operators/checks.h"
#include "raytracer/operators/signatures.h"

#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace helioray::operators {

namespace {

at::Tensor trace_shape(const at::Tensor& orientation,
                       const at::Tensor& control_points,
                       const at::Tensor& target_index,
                       const at::Tensor& targets,
                       const at::Tensor& sun_direction,
                       const at::Tensor& optics,
                       at::IntArrayRef degrees,
                       at::IntArrayRef bitmap,
                       int64_t rays,
                       int64_t seed,
                       std::string_view sun_shape,
                       bool shading,
                       bool blocking,
                       at::IntArrayRef part) {
    const FluxSettings settings =
        flux_settings(degrees, bitmap, rays, seed, sun_shape, shading, blocking, part);
    check_shapes({orientation, control_points, target_index, targets, sun_direction, optics},
                 settings);
    return at::empty_symint({targets.sym_size(0), settings.bitmap[0], settings.bitmap[1]},
                            orientation.options());
}

Gradients gradient_shapes(const at::Tensor& grad_flux,
                          const at::Tensor& orientation,
                          const at::Tensor& control_points,
                          const at::Tensor& target_index,
                          const at::Tensor& targets,
                          const at::Tensor& sun_direction,
                          const at::Tensor& optics,
                          at::IntArrayRef degrees,
                          at::IntArrayRef bitmap,
                          int64_t rays,
                          int64_t seed,
                          std::string_view sun_shape,
                          bool shading,
                          bool blocking,
                          at::IntArrayRef part) {
    const FluxSettings settings =
        flux_settings(degrees, bitmap, rays, seed, sun_shape, shading, blocking, part);
    const FluxInputs inputs{
        orientation, control_points, target_index, targets, sun_direction, optics};
    check_shapes(inputs, settings);
    check_flux_gradient(grad_flux, inputs, settings);
    const auto like = [](const at::Tensor& tensor) {
        return at::empty_symint(tensor.sym_sizes(), tensor.options());
    };
    return {like(orientation), like(control_points), like(sun_direction), like(optics)};
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, Meta, m) {
    m.impl("trace_flux", trace_shape);
    m.impl("trace_flux_backward", gradient_shapes);
}

}  // namespace helioray::operators
