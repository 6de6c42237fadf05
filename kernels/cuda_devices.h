// SPDX-License-Identifier: MIT
// CUDA devices and fields in their memory. The code that touches CUDA is a module that is loaded
// when a device is chosen (kernels/cuda).
#pragma once

#include "kernels/core/device_integers.h"
#include "kernels/trace_flux.h"

#include <cstdint>
#include <memory>
#include <string>

namespace helioray::kernels {

/// How many CUDA devices the driver offers this process, 0 without a driver. Loads no module.
int num_cuda_devices();

/// A copy of a field in the memory of one device, and its sums, which stay there until they are
/// wanted: they are added to in place over rounds, positions of the sun and parts of a field. Not
/// for several threads at once.
class DeviceField {
  public:
    virtual ~DeviceField() = default;

    /// The field has changed; its records are copied. mirrors_changed: whether facets and floats
    /// are among them, which are most of a field of measured mirrors. The sums stay as they are.
    virtual void update(const FieldView& field, bool mirrors_changed) = 0;

    /// Traces host units and adds to the sums on the device, as trace_flux_cpu does; other places
    /// than before: the sums begin at zero. rays_per_unit: of each of the units. Of the options it
    /// takes rays_done and cancel. Returns how many units it has traced, as trace_flux_cpu.
    virtual int64_t trace(const WorkUnit* units,
                          int64_t num_units,
                          int64_t rays_per_unit,
                          const SumsPlaces& places,
                          const CpuOptions& options) = 0;
    /// Copies sums [first, first + count) to the host; zeros where nothing has been traced.
    virtual void read_sums(int64_t first, int64_t count, int64_t* host) = 0;
    /// Replaces sums [first, first + count), which exist: see sums().
    virtual void write_sums(int64_t first, int64_t count, const int64_t* host) = 0;
    /// The sums become zero.
    virtual void clear_sums() = 0;

    /// The sums where they lie; zeros where nothing has been traced into these places. Valid until
    /// other places are traced into.
    virtual DeviceIntegers sums(const SumsPlaces& places) = 0;
    /// A copy of sums [first, first + count) on the device; valid until the next call.
    virtual DeviceIntegers copy_sums(int64_t first, int64_t count) = 0;
    /// Copies integers on this device to the host.
    virtual void download(const DeviceIntegers& integers, int64_t* host) const = 0;

    /// Derivatives as by trace_flux_backward_cpu; all pointers are the host's.
    virtual void backward(const WorkUnit* units,
                          int64_t num_units,
                          const float* flux_gradient,
                          const GradientScale& scale,
                          const GradientSums& sums) = 0;
};

/// The interface of the CUDA module. Its functions throw std::runtime_error with CUDA's own text.
class CudaDevices {
  public:
    virtual ~CudaDevices() = default;

    /// Number of devices; throws where CUDA cannot be used at all.
    virtual int count() const = 0;
    /// Makes a device the calling thread's current one.
    virtual void use(int index) const = 0;
    /// The same text for the same GPU (or MIG instance), wherever it is seen from.
    virtual std::string identity(int index) const = 0;
    /// Copies a field to the thread's current device. stream: a cudaStream_t on which its work is
    /// ordered, null for the default stream.
    virtual std::unique_ptr<DeviceField> upload(const FieldView& field, void* stream) const = 0;
};

/// The devices, by the module helioray_cuda. Throws ModuleError where it is missing or of another
/// version.
const CudaDevices& cuda_devices();

/// Sizes of the records that program and module exchange, so that neither reads the other's
/// wrongly.
inline constexpr int64_t kRecordSizes[] = {
    sizeof(FieldView),
    sizeof(FieldSizes),
    sizeof(HeliostatRecord),
    sizeof(FacetRecord),
    sizeof(TargetRecord),
    sizeof(Occluder),
    sizeof(OccluderFacet),
    sizeof(ObstacleRecord),
    sizeof(WorkUnit),
    sizeof(SumsView),
    sizeof(SumsPlaces),
    sizeof(GradientScale),
    sizeof(CpuOptions),
    sizeof(DeviceIntegers),
};

}  // namespace helioray::kernels
