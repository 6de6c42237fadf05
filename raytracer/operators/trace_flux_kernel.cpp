// SPDX-License-Identifier: MIT
// helioray::trace_flux and its backward for tensors with data, on the CPU and on CUDA devices.
#include "raytracer/operators/checks.h"
#include "raytracer/operators/field_pool.h"
#include "raytracer/operators/flux_gradients.h"
#include "raytracer/operators/flux_sums.h"
#include "raytracer/operators/signatures.h"
#include "raytracer/operators/torch_errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>

namespace helioray::operators {

namespace {

/// The inputs without gradients, on the CPU, after check_shapes and check_values.
FluxInputs checked_on_cpu(const FluxInputs& inputs, const FluxSettings& settings) {
    check_shapes(inputs, settings);
    const auto on_cpu = [](const at::Tensor& tensor) { return tensor.to(at::kCPU); };
    const FluxInputs moved{on_cpu(inputs.orientation),
                           on_cpu(inputs.control_points),
                           on_cpu(inputs.target_index),
                           on_cpu(inputs.targets),
                           on_cpu(inputs.sun_direction),
                           on_cpu(inputs.optics)};
    check_values(moved);
    return moved;
}

at::Tensor trace(const FluxInputs& given, const FluxSettings& settings) {
    const FluxInputs inputs = checked_on_cpu(given, settings);
    const at::Device device = given.orientation.device();
    return with_torch_errors([&] {
        return with_field(inputs, settings, [&](const TensorField& field) {
            return flux_of(field, traced_sums(field, settings.part, device)).to(device);
        });
    });
}

Gradients zeros_like(const FluxInputs& inputs) {
    const auto zeros = [](const at::Tensor& tensor) {
        return at::zeros(tensor.sizes(), tensor.options());
    };
    return {zeros(inputs.orientation),
            zeros(inputs.control_points),
            zeros(inputs.sun_direction),
            zeros(inputs.optics)};
}

Gradients trace_backward(const at::Tensor& grad_flux,
                         const FluxInputs& given,
                         const FluxSettings& settings) {
    const FluxInputs inputs = checked_on_cpu(given, settings);
    check_flux_gradient(grad_flux, given, settings);
    TORCH_CHECK(at::isfinite(grad_flux).all().item<bool>(),
                "grad_flux has NaN or infinite values; rays are added up as integers");
    // Without reflection there is nothing to divide by.
    TORCH_CHECK(inputs.optics[1].item<double>() > 0.0,
                "optics[1], the reflectivity, must be above 0 for gradients");
    if (grad_flux.count_nonzero().item<int64_t>() == 0) return zeros_like(given);
    const at::Device device = grad_flux.device();
    auto [by_orientation, by_control_points, by_sun, by_optics] = with_torch_errors([&] {
        return with_field(inputs, settings, [&](TensorField& field) {
            GradientRequest request{{}, field.everyone(), inputs.sun_direction, inputs.optics};
            std::copy_n(inputs.control_points.sizes().begin(), 5, request.points_shape.begin());
            return flux_gradients(field, grad_flux.to(at::kCPU), request, settings.part, device);
        });
    });
    return {by_orientation.to(device),
            by_control_points.to(device),
            by_sun.to(device),
            by_optics.to(device)};
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    m.impl("trace_flux", flux_kernel<trace>);
    m.impl("trace_flux_backward", gradient_kernel<trace_backward>);
}

// Without CUDA in this build, tensors on a device are answered with an error that says so.
TORCH_LIBRARY_IMPL(helioray, CUDA, m) {
    m.impl("trace_flux", flux_kernel<trace>);
    m.impl("trace_flux_backward", gradient_kernel<trace_backward>);
}

}  // namespace helioray::operators
