// SPDX-License-Identifier: MIT
// Shapes of the operators' results, without data.
#include "raytracer/operators/checks.h"
#include "raytracer/operators/signatures.h"

#include <ATen/ops/empty.h>
#include <torch/library.h>

namespace helioray::operators {

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
