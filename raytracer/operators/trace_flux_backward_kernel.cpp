// SPDX-License-Identifier: MIT
// helioray::trace_flux_backward on the CPU.
#include "raytracer/operators/checks.h"
#include "raytracer/operators/kernels.h"

#include <torch/library.h>

namespace helioray::operators {

namespace {

Gradients trace_backward(const at::Tensor& grad_flux,
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
                         bool blocking) {
    const FluxSettings settings =
        flux_settings(degrees, bitmap, rays, seed, sun_shape, shading, blocking);
    const FluxInputs inputs{
        orientation, control_points, target_index, targets, sun_direction, optics};
    checked_on_cpu(inputs, settings);
    check_flux_gradient(grad_flux, inputs, settings);
    TORCH_CHECK_NOT_IMPLEMENTED(false, "trace_flux_backward is not implemented yet");
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    m.impl("trace_flux_backward", trace_backward);
}

}  // namespace helioray::operators
