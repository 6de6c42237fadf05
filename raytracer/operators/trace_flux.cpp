// SPDX-License-Identifier: MIT
// Typed calls of the operators.
#include "raytracer/operators/trace_flux.h"

#include "raytracer/operators/signatures.h"

#include <ATen/core/dispatch/Dispatcher.h>

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

}  // namespace helioray::operators
