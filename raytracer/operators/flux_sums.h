// SPDX-License-Identifier: MIT
// Sums of a trace, seen from a prepared field.
#pragma once

#include "kernels/cuda_devices.h"
#include "raytracer/operators/tensor_field.h"
#include "raytracer/physical/sums.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>

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

}  // namespace helioray::operators
