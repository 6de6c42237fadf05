// SPDX-License-Identifier: MIT
// Computation behind the operators: inputs with data on the CPU or on a CUDA device.
#pragma once

#include "kernels/cuda_devices.h"
#include "raytracer/operators/signatures.h"
#include "raytracer/physical/field.h"

#include <memory>

namespace helioray::operators {

/// The inputs without gradients, on the CPU, after check_shapes and check_values.
FluxInputs checked_on_cpu(const FluxInputs& inputs, const FluxSettings& settings);

/// The field in the memory of a CUDA device, the thread's current one; its work is ordered on the
/// device's current stream.
std::unique_ptr<kernels::DeviceField> upload(const physical::Field& field, at::Device device);

/// Runs a function of the library below, whose errors become c10::Error.
template <typename Function>
auto with_torch_errors(Function function) {
    try {
        return function();
    } catch (const c10::Error&) {
        throw;
    } catch (const std::exception& error) {
        TORCH_CHECK(false, error.what());
    }
}

}  // namespace helioray::operators
