// SPDX-License-Identifier: MIT
// Traces a prepared field, and computes gradients of a loss of its flux.
#pragma once

#include "kernels/cuda_devices.h"
#include "raytracer/operators/signatures.h"
#include "raytracer/operators/tensor_field.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace helioray::operators {

/// Integer sums of a trace.
struct FluxSums {
    kernels::SumsLayout layout;
    at::Tensor values;  ///< int64 on the CPU, in the order of `layout`
};

/// Devices that trace rays.
struct Place {
    at::Device device;  ///< device of the tensors
    /// CUDA devices that trace together, each once; empty: `device` traces.
    std::vector<int> cuda_devices = {};

    /// Returns true if CUDA devices trace.
    bool is_cuda() const { return device.is_cuda() || !cuda_devices.empty(); }
};

/// Traces the part [index, count] of the field's units. per_heliostat: include a map of each
/// heliostat.
FluxSums traced_sums(const TensorField& field,
                     const std::array<int64_t, 2>& part,
                     const Place& place,
                     bool per_heliostat = false);

/// Returns the flux in W/m2, [TensorField::maps(), H, W] float64 on the CPU.
at::Tensor compute_flux(const TensorField& field, const FluxSums& sums);

/// Requested gradients besides those with respect to orientation.
struct GradientRequest {
    /// Shape of the control points; all 0 if their gradient is not requested.
    std::array<int64_t, 5> points_shape{};
    std::vector<size_t> mirrors;  ///< heliostats with these control points, by row
    at::Tensor sun_direction;     ///< direction to the sun as set in the field
    at::Tensor optics;            ///< optics as set in the field
    float edge_reach = 0.0f;      ///< reach of edges as in kernels::CpuOptions; 0 on CUDA devices
};

/// Returns the gradients with respect to the tensors of the field's last update, on the CPU.
/// per_flux: derivative of the loss with respect to the flux, in its shape, on the CPU, finite, not
/// 0 everywhere. part: part of the units. place: where the same rays are traced again. The field
/// does not change.
Gradients flux_gradients(TensorField& field,
                         const at::Tensor& per_flux,
                         const GradientRequest& request,
                         const std::array<int64_t, 2>& part,
                         const Place& place);

}  // namespace helioray::operators
