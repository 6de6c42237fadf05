// SPDX-License-Identifier: MIT
// Sums of a trace and gradients of a loss of its flux, seen from a prepared field.
#pragma once

#include "kernels/cuda_devices.h"
#include "raytracer/operators/signatures.h"
#include "raytracer/operators/tensor_field.h"
#include "raytracer/physical/sums.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace helioray::operators {

/// Integer sums of rays.
struct FluxSums {
    physical::SumsLayout layout;
    at::Tensor values;  ///< int64 on the CPU, as the layout says
};

/// Traces the part [index, count] of the field's units on the device. per_heliostat: also a map of
/// each.
FluxSums traced_sums(const TensorField& field,
                     const std::array<int64_t, 2>& part,
                     at::Device device,
                     bool per_heliostat = false);

/// Flux in W/m2, [T, H, W] float64 on the CPU.
at::Tensor flux_of(const TensorField& field, const FluxSums& sums);

/// The field in the memory of a CUDA device, the thread's current one; its work is ordered on the
/// device's current stream.
std::unique_ptr<kernels::DeviceField> upload(const physical::Field& field, at::Device device);

/// The gradients that are wanted, besides those by orientation.
struct GradientRequest {
    std::array<int64_t, 5> points_shape{};  ///< of the control points; all 0: not asked for
    std::vector<size_t> mirrors;            ///< heliostats with these control points, by row
    at::Tensor sun_direction;               ///< as set in the field
    at::Tensor optics;                      ///< as set in the field
    float edge_reach = 0.0f;                ///< as in kernels::CpuOptions; 0 on CUDA devices
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
