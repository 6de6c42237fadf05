// SPDX-License-Identifier: MIT
// Gradients of a loss of the flux, seen from a prepared field.
#pragma once

#include "raytracer/operators/signatures.h"
#include "raytracer/operators/tensor_field.h"

#include <array>
#include <cstdint>
#include <vector>

namespace helioray::operators {

/// What gradients are asked for, beside those by orientation.
struct GradientRequest {
    std::array<int64_t, 5> points_shape{};  ///< of the control points; all 0: not asked for
    std::vector<size_t> mirrors;            ///< heliostats with these control points, by row
    at::Tensor sun_direction;               ///< as the field was told
    at::Tensor optics;                      ///< as the field was told
};

/// Gradients by the tensors that the field was brought up to date with, on the CPU. per_flux: the
/// loss's derivative by the flux, [T, H, W] there, finite, not 0 everywhere; part: of the units;
/// device: where the same rays are traced again. The field is as it was.
Gradients flux_gradients(TensorField& field,
                         const at::Tensor& per_flux,
                         const GradientRequest& request,
                         const std::array<int64_t, 2>& part,
                         at::Device device);

}  // namespace helioray::operators
