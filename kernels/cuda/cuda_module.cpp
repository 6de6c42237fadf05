// SPDX-License-Identifier: MIT
// The module helioray_cuda: devices, and fields in device memory.
#include "kernels/cuda/device_array.h"
#include "kernels/cuda/device_meshes.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda_devices.h"
#include "kernels/ray/reflection.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace helioray::kernels {

namespace {

/// A field on the device that is current when it is created. Any thread may call it, whatever
/// the current device of that thread.
class FieldOnDevice final : public DeviceField {
  public:
    FieldOnDevice(const FieldView& field, cudaStream_t stream)
        : device_(current_device()),
          stream_(stream),
          heliostats_(stream),
          facets_(stream),
          targets_(stream),
          floats_(stream),
          occluders_(stream),
          occluder_facets_(stream),
          candidates_(stream),
          obstacles_(stream),
          occluder_outlines_(stream),
          surfaces_(stream),
          surface_tables_(stream),
          reflecting_tables_(stream),
          meshes_(stream),
          sums_(stream),
          copy_(stream) {
        update(field, true);
    }

    void update(const FieldView& field, bool shapes_changed) override {
        const DeviceScope here(device_);
        heliostats_.assign(field.heliostats, field.num_heliostats);
        targets_.assign(field.targets, field.num_targets);
        occluders_.assign(field.occluders, field.sizes.occluders);
        occluder_facets_.assign(field.occluder_facets, field.sizes.occluder_facets);
        candidates_.assign(field.candidates, field.sizes.candidates);
        obstacles_.assign(field.obstacles, int64_t{field.num_targets} * field.num_obstacles);
        occluder_outlines_.assign(field.occluder_outlines, field.sizes.occluder_outlines);
        surfaces_.assign(field.surfaces, field.num_surfaces);
        surface_maps_ = surface_maps(field);
        if (field.num_surfaces > 0) {
            // They are too large for the stack of some threads.
            const auto tables = std::make_unique<SurfaceTables>(field);
            surface_tables_.assign(tables.get(), 1);
            std::unique_ptr<ReflectingTables> reflecting;
            if (field.reflects != 0) {
                reflecting = std::make_unique<ReflectingTables>(field, tables->groups());
                reflecting_tables_.assign(reflecting.get(), 1);
            }
            check(cudaStreamSynchronize(stream_), "upload");
        }
        if (shapes_changed) {
            facets_.assign(field.facets, field.sizes.facets);
            floats_.assign(field.floats, field.sizes.floats);
            meshes_.assign(field.meshes, field.sizes.meshes);
        }
        view_ = field;
        view_.heliostats = heliostats_.get();
        view_.facets = facets_.get();
        view_.targets = targets_.get();
        view_.floats = floats_.get();
        view_.occluders = occluders_.get();
        view_.occluder_facets = occluder_facets_.get();
        view_.candidates = candidates_.get();
        view_.obstacles = obstacles_.get();
        view_.occluder_outlines = occluder_outlines_.get();
        view_.surfaces = surfaces_.get();
        view_.surface_tables = surface_tables_.get();
        view_.reflecting_tables = reflecting_tables_.get();
        view_.meshes = field.meshes != nullptr ? meshes_.records() : nullptr;
        // The host's arrays may change after this function has returned.
        check(cudaStreamSynchronize(stream_), "upload");
    }

    int64_t trace(const WorkUnit* units,
                  int64_t num_units,
                  int64_t rays_per_unit,
                  const SumsLayout& layout,
                  const CpuOptions& options) override {
        const DeviceScope here(device_);
        use_layout(layout);
        const DeviceArray<WorkUnit> device_units(units, num_units, stream_);
        const int64_t step =
            std::max<int64_t>(1, kRaysPerLaunch / std::max<int64_t>(1, rays_per_unit));
        for (int64_t begin = 0; begin < num_units; begin += step) {
            const int64_t count = std::min(step, num_units - begin);
            trace_flux_cuda(
                view_, device_units.get() + begin, count, layout.view(sums_.get()), stream_);
            check(cudaStreamSynchronize(stream_), "trace");
            if (options.rays_done != nullptr) options.rays_done->fetch_add(count * rays_per_unit);
            if (options.cancel != nullptr && options.cancel->load()) return begin + count;
        }
        return num_units;
    }

    void read_sums(int64_t first, int64_t count, int64_t* host) override {
        const DeviceScope here(device_);
        if (sums_.count() == 0) {
            std::fill_n(host, count, 0);
        } else {
            sums_.download(first, count, host);
        }
    }

    void write_sums(int64_t first, int64_t count, const int64_t* host) override {
        const DeviceScope here(device_);
        sums_.write(first, count, host);
    }

    void clear_sums() override {
        const DeviceScope here(device_);
        sums_.assign_zeros(sums_.count());
    }

    DeviceIntegers sums(const SumsLayout& layout) override {
        const DeviceScope here(device_);
        use_layout(layout);
        check(cudaStreamSynchronize(stream_), "clearing device memory");
        return {sums_.get(), sums_.count(), device_};
    }

    DeviceIntegers copy_sums(int64_t first, int64_t count) override {
        const DeviceScope here(device_);
        copy_.assign_from_device(sums_.get() + first, count);
        return {copy_.get(), count, device_};
    }

    void download(const DeviceIntegers& integers, int64_t* host) const override {
        const DeviceScope here(device_);
        check(cudaMemcpyAsync(host,
                              integers.data,
                              static_cast<size_t>(integers.count) * sizeof(int64_t),
                              cudaMemcpyDeviceToHost,
                              stream_),
              "download");
        check(cudaStreamSynchronize(stream_), "download");
    }

    void backward(const WorkUnit* units,
                  int64_t num_units,
                  const float* flux_gradient,
                  const GradientScale& scale,
                  const GradientSums& sums) override {
        const DeviceScope here(device_);
        const int64_t pixels = int64_t{view_.bitmap_width} * view_.bitmap_height;
        const int64_t numbers = int64_t{view_.num_heliostats} * kNumHeliostatGradients;
        const DeviceArray<WorkUnit> device_units(units, num_units, stream_);
        const DeviceArray<float> of_targets(flux_gradient, view_.num_targets * pixels, stream_);
        const std::vector<float> maps = gather_maps(surface_maps_, flux_gradient, pixels);
        const DeviceArray<float> of_surfaces(maps.data(), std::ssize(maps), stream_);
        const DeviceArray<int64_t> heliostats(sums.heliostats, numbers, stream_);
        const DeviceArray<int64_t> floats(sums.floats, view_.sizes.floats, stream_);
        trace_flux_backward_cuda(view_,
                                 device_units.get(),
                                 num_units,
                                 of_targets.get(),
                                 of_surfaces.get(),
                                 scale,
                                 {heliostats.get(), floats.get()},
                                 stream_);
        heliostats.download(0, numbers, sums.heliostats);
        floats.download(0, view_.sizes.floats, sums.floats);
    }

  private:
    /// Sets the layout of the sums; for a new layout the sums start at zero.
    void use_layout(const SumsLayout& layout) {
        if (layout != layout_) sums_.assign_zeros(layout.total_size());
        layout_ = layout;
    }

    const int device_;
    cudaStream_t stream_;
    DeviceArray<HeliostatRecord> heliostats_;
    DeviceArray<FacetRecord> facets_;
    DeviceArray<TargetRecord> targets_;
    DeviceArray<float> floats_;
    DeviceArray<Occluder> occluders_;
    DeviceArray<OccluderFacet> occluder_facets_;
    DeviceArray<int32_t> candidates_;
    DeviceArray<ObstacleRecord> obstacles_;
    DeviceArray<float> occluder_outlines_;
    DeviceArray<SurfaceRecord> surfaces_;
    DeviceArray<SurfaceTables> surface_tables_;
    DeviceArray<ReflectingTables> reflecting_tables_;
    DeviceMeshes meshes_;
    std::vector<int32_t> surface_maps_;  ///< see surface_maps()
    FieldView view_{};
    DeviceArray<int64_t> sums_;
    DeviceArray<int64_t> copy_;  ///< copy of a part of the sums
    SumsLayout layout_;
};

class Devices final : public CudaDevices {
  public:
    int count() const override {
        int count = 0;
        check(cudaGetDeviceCount(&count), "devices");
        return count;
    }
    void use(int index) const override { check(cudaSetDevice(index), "choice of the device"); }
    std::string identity(int index) const override {
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, index), "properties of the device");
        // Use the UUID and not the bus address, because two MIG instances of one GPU are two
        // devices.
        constexpr char kHex[] = "0123456789abcdef";
        std::string text;
        for (const char byte : properties.uuid.bytes) {
            text += kHex[(static_cast<unsigned char>(byte) >> 4) & 15];
            text += kHex[static_cast<unsigned char>(byte) & 15];
        }
        return text;
    }
    std::unique_ptr<DeviceField> upload(const FieldView& field,
                                        int device,
                                        void* stream) const override {
        const DeviceScope here(device);
        check(cudaSetDevice(device), "choice of the device");
        return std::make_unique<FieldOnDevice>(field, static_cast<cudaStream_t>(stream));
    }
};

}  // namespace

}  // namespace helioray::kernels

/// Returns the devices, or null if the caller's records have other sizes.
extern "C" const helioray::kernels::CudaDevices* helioray_cuda_devices(const int64_t* record_sizes,
                                                                       int64_t count) {
    using namespace helioray::kernels;
    if (!std::equal(
            std::begin(kRecordSizes), std::end(kRecordSizes), record_sizes, record_sizes + count))
        return nullptr;
    static const Devices devices;
    return &devices;
}
