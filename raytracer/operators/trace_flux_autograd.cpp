// SPDX-License-Identifier: MIT
// Gradients of helioray::trace_flux through helioray::trace_flux_backward.
#include "raytracer/operators/operator_node.h"
#include "raytracer/operators/signatures.h"

#include <torch/library.h>

namespace helioray::operators {

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

}  // namespace helioray::operators
