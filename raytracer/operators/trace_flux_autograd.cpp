// SPDX-License-Identifier: MIT
// Gradients of helioray::trace_flux through helioray::trace_flux_backward.
#include "raytracer/operators/signatures.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace helioray::operators {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class TraceFluxFunction : public torch::autograd::Function<TraceFluxFunction> {
  public:
    static at::Tensor forward(AutogradContext* context,
                              const at::Tensor& orientation,
                              const at::Tensor& control_points,
                              const at::Tensor& target_index,
                              const at::Tensor& targets,
                              const at::Tensor& sun_direction,
                              const at::Tensor& optics,
                              const FluxSettings& settings) {
        const at::AutoDispatchBelowADInplaceOrView guard;
        context->save_for_backward(
            {orientation, control_points, target_index, targets, sun_direction, optics});
        auto& saved = context->saved_data;
        saved["degrees"] = settings.degrees;
        saved["bitmap"] = settings.bitmap;
        saved["rays"] = settings.rays;
        saved["seed"] = settings.seed;
        saved["sun_shape"] = settings.sun_shape;
        saved["shading"] = settings.shading;
        saved["blocking"] = settings.blocking;
        saved["part"] = settings.part;
        return trace_flux(
            {orientation, control_points, target_index, targets, sun_direction, optics}, settings);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list inputs = context->get_saved_variables();
        const auto& saved = context->saved_data;
        const auto pair = [&saved](const char* name) {
            const std::vector<int64_t> values = saved.at(name).toIntVector();
            return std::array<int64_t, 2>{values.at(0), values.at(1)};
        };
        const FluxSettings settings{pair("degrees"),
                                    pair("bitmap"),
                                    saved.at("rays").toInt(),
                                    saved.at("seed").toInt(),
                                    saved.at("sun_shape").toStringRef(),
                                    saved.at("shading").toBool(),
                                    saved.at("blocking").toBool(),
                                    pair("part")};
        const FluxGradients result =
            trace_flux_backward(gradients[0],
                                {inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], inputs[5]},
                                settings);
        return {result.orientation,
                result.control_points,
                {},
                {},
                result.sun_direction,
                result.optics,
                {}};
    }
};

at::Tensor trace_with_gradient(const FluxInputs& inputs, const FluxSettings& settings) {
    TORCH_CHECK(!inputs.targets.requires_grad(),
                "trace_flux has no gradient with respect to targets; pass targets.detach()");
    return TraceFluxFunction::apply(inputs.orientation,
                                    inputs.control_points,
                                    inputs.target_index,
                                    inputs.targets,
                                    inputs.sun_direction,
                                    inputs.optics,
                                    settings);
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, Autograd, m) {
    m.impl("trace_flux", flux_kernel<trace_with_gradient>);
    m.impl("trace_flux_backward", torch::autograd::autogradNotImplementedFallback());
}

}  // namespace helioray::operators
