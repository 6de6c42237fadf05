// SPDX-License-Identifier: MIT
// Sums of a trace on the CPU and on CUDA devices.
#include "raytracer/operators/flux_sums.h"

#include "kernels/trace_flux.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>

#include <vector>

namespace helioray::operators {

std::unique_ptr<kernels::DeviceField> upload(const physical::Field& field, at::Device device) {
    const c10::impl::VirtualGuardImpl guard(device.type());
    return kernels::cuda_devices().upload(field.view(), guard.getStream(device).native_handle());
}

FluxSums traced_sums(const TensorField& field,
                     const std::array<int64_t, 2>& part,
                     at::Device device,
                     bool per_heliostat) {
    const physical::Field& prepared = field.field();
    const std::vector<kernels::WorkUnit> units = field.units_of_part(part);
    const auto num_units = std::ssize(units);
    FluxSums result;
    result.layout = prepared.sums_layout(per_heliostat);
    result.values = at::zeros({result.layout.total_size()}, at::kLong);
    auto* const values = result.values.mutable_data_ptr<int64_t>();
    if (device.is_cuda()) {
        const c10::DeviceGuard guard(device);
        const auto on_device = upload(prepared, device);
        on_device->trace(units.data(),
                         num_units,
                         physical::Plan::rays(prepared.plan().units.front()),
                         physical::sums_places(result.layout),
                         {});
        on_device->read_sums(0, result.layout.total_size(), values);
    } else {
        kernels::CpuOptions options;
        options.num_threads = at::get_num_threads();
        kernels::trace_flux_cpu(prepared.view(),
                                units.data(),
                                num_units,
                                physical::sums_view(result.layout, values),
                                options);
    }
    return result;
}

at::Tensor flux_of(const TensorField& field, const FluxSums& sums) {
    const at::Tensor factors = at::tensor(field.flux_per_quantum(), at::kDouble);
    const at::Tensor quanta =
        sums.values.narrow(0, 0, sums.layout.flux_size())
            .view({sums.layout.num_targets, sums.layout.height, sums.layout.width});
    return quanta.to(at::kDouble) * factors.view({-1, 1, 1});
}

}  // namespace helioray::operators
