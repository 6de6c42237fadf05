// SPDX-License-Identifier: MIT
// A scene in device memory, and its trace with the CUDA kernel.
#pragma once

#include "kernels/cuda/device_meshes.h"
#include "kernels/cuda/launch.h"
#include "kernels/ray/reflection.h"
#include "tests/kernels/derivatives.h"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace helioray::test {

inline void check_cuda(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Device memory with the content of a vector.
template <typename T>
class DeviceArray {
  public:
    explicit DeviceArray(const std::vector<T>& host) : size_(host.size()) {
        static_assert(std::is_trivially_copyable_v<T>);
        check_cuda(cudaMallocAsync(&data_, bytes() + 1, nullptr), "device memory");
        copy(data_, host.data(), cudaMemcpyHostToDevice, "upload");
    }
    ~DeviceArray() { cudaFreeAsync(data_, nullptr); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* get() const { return static_cast<T*>(data_); }
    void download(std::vector<T>& host) const {
        copy(host.data(), data_, cudaMemcpyDeviceToHost, "download");
    }

  private:
    void copy(void* to, const void* from, cudaMemcpyKind kind, const char* what) const {
        check_cuda(cudaMemcpyAsync(to, from, bytes(), kind, nullptr), what);
        check_cuda(cudaStreamSynchronize(nullptr), what);
    }
    size_t bytes() const { return size_ * sizeof(T); }
    size_t size_;
    void* data_ = nullptr;
};

class DeviceScene {
  public:
    explicit DeviceScene(const FeatureScene& f)
        : zero_(f.scene.zero_sums(f.per_heliostat)),
          view_(f.view()),
          // With their optics, which the view adds.
          heliostats_(f.scene.seen),
          facets_(f.scene.facets),
          targets_(f.scene.targets),
          floats_(f.scene.floats),
          occluders_(f.occluders),
          occluder_facets_(f.occluder_facets),
          occluder_outlines_(f.occluder_outlines),
          candidates_(f.candidates),
          obstacles_(f.obstacles),
          units_(f.scene.units),
          num_units_(static_cast<int64_t>(f.scene.units.size())),
          surfaces_(f.scene.surfaces),
          surface_tables_(tables_of(view_)),
          reflecting_tables_(reflecting_tables_of(view_)),
          surface_maps_(kernels::surface_maps(view_)),
          meshes_(nullptr) {
        view_.heliostats = heliostats_.get();
        view_.facets = facets_.get();
        view_.targets = targets_.get();
        view_.floats = floats_.get();
        view_.occluders = occluders_.get();
        view_.occluder_facets = occluder_facets_.get();
        view_.occluder_outlines = occluder_outlines_.get();
        view_.candidates = candidates_.get();
        view_.obstacles = obstacles_.get();
        view_.surfaces = surfaces_.get();
        view_.surface_tables = surface_tables_.get();
        view_.reflecting_tables = reflecting_tables_.get();
        if (view_.meshes == nullptr) return;
        meshes_.assign(view_.meshes, view_.sizes.meshes);
        view_.meshes = meshes_.records();
    }

    /// Traces all units in so many launches; `milliseconds` takes the time of the device.
    Sums trace(int64_t launches = 1, float* milliseconds = nullptr) const {
        Sums sums = zero_;
        const DeviceArray<int64_t> flux(sums.flux), square(sums.flux_square), energy(sums.energy),
            power_square(sums.power_square), maps(sums.heliostat_flux),
            difference(sums.flux_difference), surface_square(sums.surface_square),
            shielded(sums.shielded), reflected(sums.reflected);
        const kernels::SumsView view{flux.get(),
                                     square.get(),
                                     energy.get(),
                                     power_square.get(),
                                     sums.heliostat_flux.empty() ? nullptr : maps.get(),
                                     difference.get(),
                                     sums.surface_square.empty() ? nullptr : surface_square.get(),
                                     sums.shielded.empty() ? nullptr : shielded.get(),
                                     sums.reflected.empty() ? nullptr : reflected.get()};
        timed(
            [&] {
                for (int64_t i = 0; i < launches; ++i) {
                    const int64_t first = num_units_ * i / launches;
                    const int64_t last = num_units_ * (i + 1) / launches;
                    kernels::trace_flux_cuda(
                        view_, units_.get() + first, last - first, view, nullptr);
                }
            },
            milliseconds);
        flux.download(sums.flux);
        square.download(sums.flux_square);
        energy.download(sums.energy);
        power_square.download(sums.power_square);
        maps.download(sums.heliostat_flux);
        difference.download(sums.flux_difference);
        surface_square.download(sums.surface_square);
        shielded.download(sums.shielded);
        reflected.download(sums.reflected);
        return sums;
    }

    /// Backward pass of all units; `milliseconds` as above.
    void trace_backward(const std::vector<float>& gradient,
                        Derivatives& derivatives,
                        float* milliseconds = nullptr) const {
        const DeviceArray<float> loss(gradient);
        const DeviceArray<float> on_surfaces(kernels::gather_maps(
            surface_maps_, gradient.data(), int64_t{view_.bitmap_width} * view_.bitmap_height));
        const DeviceArray<int64_t> heliostats(derivatives.heliostats), floats(derivatives.floats);
        timed(
            [&] {
                kernels::trace_flux_backward_cuda(view_,
                                                  units_.get(),
                                                  num_units_,
                                                  loss.get(),
                                                  on_surfaces.get(),
                                                  derivatives.scale,
                                                  {heliostats.get(), floats.get()},
                                                  nullptr);
            },
            milliseconds);
        heliostats.download(derivatives.heliostats);
        floats.download(derivatives.floats);
    }

  private:
    /// Runs work on the device and waits for it.
    template <typename Work>
    static void timed(const Work& work, float* milliseconds) {
        cudaEvent_t begin, end;
        check_cuda(cudaEventCreateWithFlags(&begin, cudaEventDefault), "event");
        check_cuda(cudaEventCreateWithFlags(&end, cudaEventDefault), "event");
        check_cuda(cudaEventRecord(begin, nullptr), "event");
        work();
        check_cuda(cudaEventRecord(end, nullptr), "event");
        check_cuda(cudaStreamSynchronize(nullptr), "trace");
        if (milliseconds != nullptr)
            check_cuda(cudaEventElapsedTime(milliseconds, begin, end), "time");
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
    }

    static std::vector<kernels::SurfaceTables> tables_of(const kernels::FieldView& host) {
        std::vector<kernels::SurfaceTables> tables;
        if (host.num_surfaces > 0) tables.emplace_back(host);
        return tables;
    }
    static std::vector<kernels::ReflectingTables> reflecting_tables_of(
        const kernels::FieldView& host) {
        std::vector<kernels::ReflectingTables> tables;
        for (const kernels::SurfaceTables& surfaces : tables_of(host))
            tables.emplace_back(host, surfaces.groups());
        return tables;
    }

    Sums zero_;
    kernels::FieldView view_;
    DeviceArray<kernels::HeliostatRecord> heliostats_;
    DeviceArray<kernels::FacetRecord> facets_;
    DeviceArray<kernels::TargetRecord> targets_;
    DeviceArray<float> floats_;
    DeviceArray<kernels::Occluder> occluders_;
    DeviceArray<kernels::OccluderFacet> occluder_facets_;
    DeviceArray<float> occluder_outlines_;
    DeviceArray<int32_t> candidates_;
    DeviceArray<kernels::ObstacleRecord> obstacles_;
    DeviceArray<kernels::WorkUnit> units_;
    int64_t num_units_;
    DeviceArray<kernels::SurfaceRecord> surfaces_;
    DeviceArray<kernels::SurfaceTables> surface_tables_;
    DeviceArray<kernels::ReflectingTables> reflecting_tables_;
    std::vector<int32_t> surface_maps_;  ///< see surface_maps()
    kernels::DeviceMeshes meshes_;
};

}  // namespace helioray::test
