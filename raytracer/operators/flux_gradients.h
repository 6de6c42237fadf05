// SPDX-License-Identifier: MIT
// Gradients of a loss of the flux, seen from a prepared field.
#pragma once

#include "raytracer/operators/signatures.h"
#include "raytracer/operators/tensor_field.h"

#include <array>
#include <cstdint>

namespace helioray::operators {

/// Gradients by the inputs that the field was brought up to date with, on the CPU. per_flux: the
/// loss's derivative by the flux, [T, H, W] there, finite; part: of the units; device: where the
/// same rays are traced again. The field is as it was.
Gradients flux_gradients(TensorField& field,
                         const at::Tensor& per_flux,
                         const FluxInputs& inputs,
                         const std::array<int64_t, 2>& part,
                         at::Device device);

}  // namespace helioray::operators
