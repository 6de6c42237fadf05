// SPDX-License-Identifier: MIT
// Field in device memory and launches of the CUDA kernel.
#include "raytracer/physical/cuda_trace.h"

#include "kernels/trace_flux.h"
#include "kernels/trace_flux_backward.h"

#include <algorithm>
#include <stdexcept>

#ifdef HELIORAY_HAVE_CUDA
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace helioray::physical {

#ifdef HELIORAY_HAVE_CUDA

namespace {

/// Copies plain records to the device as bytes.
template <typename T>
at::Tensor upload(const T* data, size_t count) {
    const auto bytes = static_cast<int64_t>(count * sizeof(T));
    return at::from_blob(const_cast<T*>(data), {bytes}, at::TensorOptions().dtype(at::kByte))
        .to(at::Device(at::kCUDA));
}

template <typename T>
const T* records(const at::Tensor& bytes) {
    return static_cast<const T*>(bytes.const_data_ptr());
}

// Units per launch: long enough to fill a device, short enough for progress and cancellation.
constexpr int64_t kRaysPerLaunch = int64_t{1} << 32;

}  // namespace

struct CudaField::Implementation {
    kernels::FieldView view;
    SumsLayout layout;
    at::Tensor heliostats, facets, targets, floats;
    at::Tensor occluders, occluder_facets, candidates, obstacles;
    at::Tensor sums;
};

CudaField::CudaField(const Field& field, const SumsLayout& layout)
    : implementation_(std::make_unique<Implementation>()) {
    Implementation& on_device = *implementation_;
    on_device.layout = layout;
    on_device.heliostats = upload(field.heliostats().data(), field.heliostats().size());
    on_device.facets = upload(field.facets().data(), field.facets().size());
    on_device.targets = upload(field.targets().data(), field.targets().size());
    on_device.floats = upload(field.floats().data(), field.floats().size());
    const OcclusionRecords& occlusion = field.occlusion();
    on_device.occluders = upload(occlusion.occluders.data(), occlusion.occluders.size());
    on_device.occluder_facets = upload(occlusion.facets.data(), occlusion.facets.size());
    on_device.candidates = upload(occlusion.candidates.data(), occlusion.candidates.size());
    on_device.obstacles = upload(field.obstacles().data(), field.obstacles().size());
    on_device.sums =
        at::zeros({layout.total_size()}, at::TensorOptions().dtype(at::kLong).device(at::kCUDA));
    on_device.view = field.view();
    on_device.view.heliostats = records<kernels::HeliostatRecord>(on_device.heliostats);
    on_device.view.facets = records<kernels::FacetRecord>(on_device.facets);
    on_device.view.targets = records<kernels::TargetRecord>(on_device.targets);
    on_device.view.floats = records<float>(on_device.floats);
    on_device.view.occluders = records<kernels::Occluder>(on_device.occluders);
    on_device.view.occluder_facets = records<kernels::OccluderFacet>(on_device.occluder_facets);
    on_device.view.candidates = records<int32_t>(on_device.candidates);
    on_device.view.obstacles = records<kernels::ObstacleRecord>(on_device.obstacles);
}

void CudaField::trace(const kernels::WorkUnit* units,
                      int64_t num_units,
                      int64_t rays_per_unit,
                      const TraceControl& control,
                      at::Tensor& sums) {
    Implementation& on_device = *implementation_;
    on_device.sums.zero_();
    const at::Tensor device_units = upload(units, static_cast<size_t>(num_units));
    const kernels::SumsView view =
        sums_view(on_device.layout, on_device.sums.mutable_data_ptr<int64_t>());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const int64_t step = std::max<int64_t>(1, kRaysPerLaunch / std::max<int64_t>(1, rays_per_unit));
    for (int64_t begin = 0; begin < num_units; begin += step) {
        const int64_t count = std::min(step, num_units - begin);
        kernels::trace_flux_cuda(on_device.view,
                                 records<kernels::WorkUnit>(device_units) + begin,
                                 count,
                                 view,
                                 stream.stream());
        stream.synchronize();
        if (control.rays_done != nullptr) control.rays_done->fetch_add(count * rays_per_unit);
        if (control.cancel != nullptr && control.cancel->load()) return;
    }
    sums.add_(on_device.sums.to(at::kCPU));
}

void CudaField::backward(const kernels::WorkUnit* units,
                         int64_t num_units,
                         const at::Tensor& flux_gradient,
                         const kernels::GradientScale& scale,
                         at::Tensor& heliostat_sums,
                         at::Tensor& float_sums) {
    const at::Device device(at::kCUDA);
    const at::Tensor device_units = upload(units, static_cast<size_t>(num_units));
    const at::Tensor gradient = flux_gradient.contiguous().to(device);
    at::Tensor heliostats = heliostat_sums.to(device);
    at::Tensor floats = float_sums.to(device);
    const auto stream = c10::cuda::getCurrentCUDAStream();
    kernels::trace_flux_backward_cuda(
        implementation_->view,
        records<kernels::WorkUnit>(device_units),
        num_units,
        gradient.const_data_ptr<float>(),
        scale,
        {heliostats.mutable_data_ptr<int64_t>(), floats.mutable_data_ptr<int64_t>()},
        stream.stream());
    heliostat_sums.copy_(heliostats);
    float_sums.copy_(floats);
}

#else

struct CudaField::Implementation {};

CudaField::CudaField(const Field&, const SumsLayout&) {
    throw std::runtime_error(
        "this program was built without CUDA; use device: cpu, or build it where nvcc is found");
}

void CudaField::trace(
    const kernels::WorkUnit*, int64_t, int64_t, const TraceControl&, at::Tensor&) {}

void CudaField::backward(const kernels::WorkUnit*,
                         int64_t,
                         const at::Tensor&,
                         const kernels::GradientScale&,
                         at::Tensor&,
                         at::Tensor&) {}

#endif

CudaField::~CudaField() = default;

}  // namespace helioray::physical
