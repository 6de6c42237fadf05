// SPDX-License-Identifier: MIT
// CUDA devices and fields in their memory. The code that uses CUDA is a module (kernels/cuda) that
// is loaded when a device is chosen.
#pragma once

#include "kernels/core/device_integers.h"
#include "kernels/core/sums_layout.h"
#include "kernels/mesh/mesh_types.h"
#include "kernels/trace_flux.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace helioray::kernels {

/// Returns the number of CUDA devices that the driver offers this process, 0 without a driver.
/// Loads no module.
int num_cuda_devices();

/// Number of rays per launch: enough to fill a device, few enough for progress and cancellation.
inline constexpr int64_t kRaysPerLaunch = int64_t{1} << 32;

/// A copy of a field in the memory of one or several devices, and its sums, which remain there
/// until they are read: rounds, positions of the sun and parts of a field are added in place. Not
/// thread-safe.
class DeviceField {
  public:
    virtual ~DeviceField() = default;

    /// Copies the records of a changed field. shapes_changed: facets, floats and meshes, which are
    /// most of the data of measured mirrors and fine meshes, must be copied too. The sums do not
    /// change.
    virtual void update(const FieldView& field, bool shapes_changed) = 0;

    /// Traces host units and adds to the sums on the device, like trace_flux_cpu(). If `layout`
    /// changes, the sums start at zero. rays_per_unit: number of rays of each unit. Uses rays_done
    /// and cancel of the options. Returns the number of traced units.
    virtual int64_t trace(const WorkUnit* units,
                          int64_t num_units,
                          int64_t rays_per_unit,
                          const SumsLayout& layout,
                          const CpuOptions& options) = 0;
    /// Copies sums [first, first + count) to the host; zeros if nothing has been traced.
    virtual void read_sums(int64_t first, int64_t count, int64_t* host) = 0;
    /// Replaces sums [first, first + count), which must exist: see sums().
    virtual void write_sums(int64_t first, int64_t count, const int64_t* host) = 0;
    /// Sets the sums to zero.
    virtual void clear_sums() = 0;

    /// Returns the sums on the device; zeros if nothing has been traced with this layout. Valid
    /// until another layout is used.
    virtual DeviceIntegers sums(const SumsLayout& layout) = 0;
    /// Returns a copy of sums [first, first + count) on the device; valid until the next call.
    virtual DeviceIntegers copy_sums(int64_t first, int64_t count) = 0;
    /// Copies integers on this device to the host.
    virtual void download(const DeviceIntegers& integers, int64_t* host) const = 0;

    /// Computes derivatives like trace_flux_backward_cpu(); all pointers are host pointers.
    virtual void backward(const WorkUnit* units,
                          int64_t num_units,
                          const float* flux_gradient,
                          const GradientScale& scale,
                          const GradientSums& sums) = 0;
};

/// Interface of the CUDA module. Its functions throw std::runtime_error with CUDA's error text.
class CudaDevices {
  public:
    virtual ~CudaDevices() = default;

    /// Returns the number of devices; throws if CUDA cannot be used.
    virtual int count() const = 0;
    /// Makes a device the calling thread's current one.
    virtual void use(int index) const = 0;
    /// Returns a text that is equal in all processes that see the same GPU (or MIG instance).
    virtual std::string identity(int index) const = 0;
    /// Copies a field to a device, without changing the calling thread's current one. stream: a
    /// cudaStream_t of this device on which its work is ordered, null for the default stream.
    virtual std::unique_ptr<DeviceField> upload(const FieldView& field,
                                                int device,
                                                void* stream) const = 0;
};

/// Returns the names of CUDA devices as in configurations: "cuda:0", "cuda:0,2"; without any,
/// "cpu".
std::string device_names(const std::vector<int>& indices);

/// Returns the devices from the module helioray_cuda. Throws ModuleError if it is missing or of
/// another version.
const CudaDevices& cuda_devices();

/// Sizes of the records that program and module exchange, by which each verifies that the other has
/// the same layout.
inline constexpr int64_t kRecordSizes[] = {
    sizeof(FieldView),
    sizeof(FieldSizes),
    sizeof(HeliostatRecord),
    sizeof(FacetRecord),
    sizeof(TargetRecord),
    sizeof(Occluder),
    sizeof(OccluderFacet),
    sizeof(ObstacleRecord),
    sizeof(SurfaceRecord),
    sizeof(MeshRecord),
    sizeof(MeshNode),
    sizeof(MeshGroup),
    sizeof(WorkUnit),
    sizeof(SumsView),
    sizeof(SumsLayout),
    sizeof(GradientScale),
    sizeof(CpuOptions),
    sizeof(DeviceIntegers),
};

}  // namespace helioray::kernels
