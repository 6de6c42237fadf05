// SPDX-License-Identifier: MIT
// Typed calls, autograd and shapes of results of helioray::trace_flux.
#include "raytracer/operators/trace_flux.h"

#include "raytracer/operators/checks.h"
#include "raytracer/operators/operator_node.h"
#include "raytracer/operators/signatures.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace helioray::operators {

at::Tensor trace_flux(const FluxInputs& inputs, const FluxSettings& settings) {
    static const auto trace = c10::Dispatcher::singleton()
                                  .findSchemaOrThrow("helioray::trace_flux", "")
                                  .typed<TraceFlux>();
    return trace.call(inputs.orientation,
                      inputs.control_points,
                      inputs.target_index,
                      inputs.targets,
                      inputs.sun_direction,
                      inputs.optics,
                      settings.degrees,
                      settings.bitmap,
                      settings.rays,
                      settings.seed,
                      settings.sun_shape,
                      settings.shading,
                      settings.blocking,
                      settings.part);
}

FluxGradients trace_flux_backward(const at::Tensor& grad_flux,
                                  const FluxInputs& inputs,
                                  const FluxSettings& settings) {
    static const auto trace = c10::Dispatcher::singleton()
                                  .findSchemaOrThrow("helioray::trace_flux_backward", "")
                                  .typed<TraceFluxBackward>();
    auto [orientation, control_points, sun_direction, optics] = trace.call(grad_flux,
                                                                           inputs.orientation,
                                                                           inputs.control_points,
                                                                           inputs.target_index,
                                                                           inputs.targets,
                                                                           inputs.sun_direction,
                                                                           inputs.optics,
                                                                           settings.degrees,
                                                                           settings.bitmap,
                                                                           settings.rays,
                                                                           settings.seed,
                                                                           settings.sun_shape,
                                                                           settings.shading,
                                                                           settings.blocking,
                                                                           settings.part);
    return {orientation, control_points, sun_direction, optics};
}

namespace {

Tensors to_list(const FluxInputs& inputs) {
    return {inputs.orientation,
            inputs.control_points,
            inputs.target_index,
            inputs.targets,
            inputs.sun_direction,
            inputs.optics};
}

at::Tensor trace_with_gradient(const FluxInputs& inputs, const FluxSettings& settings) {
    TORCH_CHECK(!inputs.targets.requires_grad(),
                "trace_flux has no gradient with respect to targets; pass targets.detach()");
    return with_backward(
        "trace_flux",
        to_list(inputs),
        [&] { return Tensors{trace_flux(inputs, settings)}; },
        [settings](const Tensors& gradients, const Tensors& saved) -> Tensors {
            const FluxGradients result =
                trace_flux_backward(gradients[0],
                                    {saved[0], saved[1], saved[2], saved[3], saved[4], saved[5]},
                                    settings);
            return {result.orientation,
                    result.control_points,
                    {},
                    {},
                    result.sun_direction,
                    result.optics};
        })[0];
}

Gradients backward_without_gradient(const at::Tensor& grad_flux,
                                    const FluxInputs& inputs,
                                    const FluxSettings& settings) {
    Tensors all = to_list(inputs);
    all.insert(all.begin(), grad_flux);
    const Tensors result = without_second_derivative(
        "trace_flux_backward",
        "flux has first derivatives only. For curvature use Gauss-Newton, LBFGS or differences of "
        "gradients; create_graph=True is not needed for first derivatives",
        all,
        [&] {
            const FluxGradients gradients = trace_flux_backward(grad_flux, inputs, settings);
            return Tensors{gradients.orientation,
                           gradients.control_points,
                           gradients.sun_direction,
                           gradients.optics};
        });
    return {result[0], result[1], result[2], result[3]};
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, Autograd, m) {
    m.impl("trace_flux", flux_kernel<trace_with_gradient>);
    m.impl("trace_flux_backward", gradient_kernel<backward_without_gradient>);
}

namespace {

at::Tensor trace_shape(const FluxInputs& inputs, const FluxSettings& settings) {
    check_shapes(inputs, settings);
    return at::empty_symint({inputs.targets.sym_size(0), settings.bitmap[0], settings.bitmap[1]},
                            inputs.orientation.options());
}

Gradients gradient_shapes(const at::Tensor& grad_flux,
                          const FluxInputs& inputs,
                          const FluxSettings& settings) {
    check_shapes(inputs, settings);
    check_flux_gradient(grad_flux, inputs, settings);
    const auto like = [](const at::Tensor& tensor) {
        return at::empty_symint(tensor.sym_sizes(), tensor.options());
    };
    return {like(inputs.orientation),
            like(inputs.control_points),
            like(inputs.sun_direction),
            like(inputs.optics)};
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, Meta, m) {
    m.impl("trace_flux", flux_kernel<trace_shape>);
    m.impl("trace_flux_backward", gradient_kernel<gradient_shapes>);
}

}  // namespace helioray::operators
