// SPDX-License-Identifier: MIT
// What the operators demand of their arguments. All throw c10::Error with a readable message.
#pragma once

#include "raytracer/operators/trace_flux.h"

namespace helioray::operators {

/// Shapes, types, devices and settings: everything that needs no values, so that it holds for
/// tensors without data and for symbolic sizes.
void check_shapes(const FluxInputs& inputs, const FluxSettings& settings);

/// Shape and type of the loss's derivative by the flux.
void check_flux_gradient(const at::Tensor& grad_flux,
                         const FluxInputs& inputs,
                         const FluxSettings& settings);

/// Values of all inputs but control_points, which are checked where they are read; the inputs have
/// passed check_shapes and are on the CPU.
void check_values(const FluxInputs& inputs);

/// That none of values[0, count) is NaN or infinite. name: of the argument.
void check_finite(const double* values, int64_t count, const char* name);

}  // namespace helioray::operators
