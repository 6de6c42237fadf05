// SPDX-License-Identifier: MIT
// helioray::trace_flux on the CPU and on CUDA devices.
#include "kernels/cuda_devices.h"
#include "kernels/trace_flux.h"
#include "raytracer/operators/checks.h"
#include "raytracer/operators/kernels.h"
#include "raytracer/operators/tensor_field.h"
#include "raytracer/physical/sums.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

namespace helioray::operators {

FluxInputs checked_on_cpu(const FluxInputs& inputs, const FluxSettings& settings) {
    check_shapes(inputs, settings);
    const auto on_cpu = [](const at::Tensor& tensor) { return tensor.to(at::kCPU); };
    const FluxInputs moved{on_cpu(inputs.orientation),
                           on_cpu(inputs.control_points),
                           on_cpu(inputs.target_index),
                           on_cpu(inputs.targets),
                           on_cpu(inputs.sun_direction),
                           on_cpu(inputs.optics)};
    check_values(moved);
    return moved;
}

std::unique_ptr<kernels::DeviceField> upload(const physical::Field& field, at::Device device) {
    const c10::impl::VirtualGuardImpl guard(device.type());
    return kernels::cuda_devices().upload(field.view(), guard.getStream(device).native_handle());
}

namespace {

/// Quanta of all pixels, int64 [T, H, W] on the CPU.
at::Tensor traced_quanta(const TensorField& field,
                         const FluxSettings& settings,
                         at::Device device) {
    const std::vector<kernels::WorkUnit>& units = field.units();
    const auto num_units = std::ssize(units);
    const physical::SumsLayout layout{std::ssize(field.field().targets()),
                                      std::ssize(field.field().aimed()),
                                      settings.bitmap[0],
                                      settings.bitmap[1],
                                      false};
    at::Tensor sums = at::zeros({layout.total_size()}, at::kLong);
    if (device.is_cuda()) {
        const c10::DeviceGuard guard(device);
        const auto on_device = upload(field.field(), device);
        on_device->trace(units.data(),
                         num_units,
                         physical::Plan::rays(field.field().plan().units.front()),
                         physical::sums_places(layout),
                         {});
        on_device->read_sums(0, layout.flux_size(), sums.mutable_data_ptr<int64_t>());
    } else {
        const kernels::SumsView view =
            physical::sums_view(layout, sums.mutable_data_ptr<int64_t>());
        kernels::CpuOptions options;
        options.num_threads = at::get_num_threads();
        kernels::trace_flux_cpu(field.field().view(), units.data(), num_units, view, options);
    }
    return sums.narrow(0, 0, layout.flux_size())
        .view({layout.num_targets, layout.height, layout.width});
}

at::Tensor trace(const FluxInputs& given, const FluxSettings& settings) {
    const FluxInputs inputs = checked_on_cpu(given, settings);
    const at::Device device = given.orientation.device();
    return with_torch_errors([&] {
        const TensorField field(inputs, settings);
        const at::Tensor factors = at::tensor(field.flux_per_quantum(), at::kDouble);
        return (traced_quanta(field, settings, device).to(at::kDouble) * factors.view({-1, 1, 1}))
            .to(device);
    });
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    m.impl("trace_flux", flux_kernel<trace>);
}

// Without CUDA in this build, tensors on a device are answered with an error that says so.
TORCH_LIBRARY_IMPL(helioray, CUDA, m) {
    m.impl("trace_flux", flux_kernel<trace>);
}

}  // namespace helioray::operators
