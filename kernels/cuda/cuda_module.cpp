// SPDX-License-Identifier: MIT
// The module helioray_cuda: devices, and fields in device memory.
#include "kernels/cuda/check.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda_devices.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace helioray::kernels {

namespace {

// Rays per launch: enough to fill a device, few enough for progress and cancellation.
constexpr int64_t kRaysPerLaunch = int64_t{1} << 32;

/// Device memory for `count` elements; freed in the order of the stream.
template <typename T>
class DeviceArray {
  public:
    DeviceArray(const T* host, int64_t count, cudaStream_t stream)
        : bytes_(static_cast<size_t>(count) * sizeof(T)), stream_(stream) {
        static_assert(std::is_trivially_copyable_v<T>);
        check(cudaMallocAsync(&data_, std::max<size_t>(bytes_, 1), stream_), "device memory");
        if (host != nullptr)
            check(cudaMemcpyAsync(data_, host, bytes_, cudaMemcpyHostToDevice, stream_), "upload");
    }
    ~DeviceArray() { cudaFreeAsync(data_, stream_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* get() const { return static_cast<T*>(data_); }
    void clear() { check(cudaMemsetAsync(data_, 0, bytes_, stream_), "clearing device memory"); }
    void download(T* host) const {
        check(cudaMemcpyAsync(host, data_, bytes_, cudaMemcpyDeviceToHost, stream_), "download");
        check(cudaStreamSynchronize(stream_), "download");
    }

  private:
    void* data_ = nullptr;
    size_t bytes_;
    cudaStream_t stream_;
};

/// Sums of a trace on the device, and their way to the host's.
class DeviceSums {
  public:
    DeviceSums(const FieldView& field, bool per_heliostat, cudaStream_t stream)
        : pixels_(int64_t{field.num_targets} * field.bitmap_width * field.bitmap_height),
          energies_(int64_t{field.num_heliostats} * kNumEnergySums),
          heliostats_(field.num_heliostats),
          maps_(per_heliostat
                    ? int64_t{field.num_heliostats} * field.bitmap_width * field.bitmap_height
                    : 0),
          sums_(nullptr, 2 * pixels_ + energies_ + heliostats_ + maps_, stream) {
        sums_.clear();
    }

    SumsView view() const { return view_of(sums_.get()); }

    void add_to(const SumsView& host) const {
        std::vector<int64_t> values(
            static_cast<size_t>(2 * pixels_ + energies_ + heliostats_ + maps_));
        sums_.download(values.data());
        const SumsView mine = view_of(values.data());
        add(mine.flux, pixels_, host.flux);
        add(mine.flux_square, pixels_, host.flux_square);
        add(mine.energy, energies_, host.energy);
        add(mine.power_square, heliostats_, host.power_square);
        add(mine.heliostat_flux, maps_, host.heliostat_flux);
    }

  private:
    SumsView view_of(int64_t* data) const {
        SumsView view{};
        view.flux = data;
        view.flux_square = view.flux + pixels_;
        view.energy = view.flux_square + pixels_;
        view.power_square = view.energy + energies_;
        view.heliostat_flux = maps_ > 0 ? view.power_square + heliostats_ : nullptr;
        return view;
    }

    static void add(const int64_t* from, int64_t count, int64_t* to) {
        for (int64_t i = 0; i < count; ++i) to[i] += from[i];
    }

    int64_t pixels_, energies_, heliostats_, maps_;
    DeviceArray<int64_t> sums_;
};

class FieldOnDevice final : public DeviceField {
  public:
    FieldOnDevice(const FieldView& field, cudaStream_t stream)
        : stream_(stream),
          num_floats_(field.sizes.floats),
          heliostats_(field.heliostats, field.num_heliostats, stream),
          facets_(field.facets, field.sizes.facets, stream),
          targets_(field.targets, field.num_targets, stream),
          floats_(field.floats, field.sizes.floats, stream),
          occluders_(field.occluders, field.sizes.occluders, stream),
          occluder_facets_(field.occluder_facets, field.sizes.occluder_facets, stream),
          candidates_(field.candidates, field.sizes.candidates, stream),
          obstacles_(field.obstacles, int64_t{field.num_targets} * field.num_obstacles, stream),
          view_(field) {
        view_.heliostats = heliostats_.get();
        view_.facets = facets_.get();
        view_.targets = targets_.get();
        view_.floats = floats_.get();
        view_.occluders = occluders_.get();
        view_.occluder_facets = occluder_facets_.get();
        view_.candidates = candidates_.get();
        view_.obstacles = obstacles_.get();
        // The host's arrays may change once the constructor has returned.
        check(cudaStreamSynchronize(stream), "upload");
    }

    void trace(const WorkUnit* units,
               int64_t num_units,
               int64_t rays_per_unit,
               const SumsView& sums,
               const CpuOptions& options) override {
        DeviceSums on_device(view_, sums.heliostat_flux != nullptr, stream_);
        const DeviceArray<WorkUnit> device_units(units, num_units, stream_);
        const int64_t step =
            std::max<int64_t>(1, kRaysPerLaunch / std::max<int64_t>(1, rays_per_unit));
        for (int64_t begin = 0; begin < num_units; begin += step) {
            const int64_t count = std::min(step, num_units - begin);
            trace_flux_cuda(view_, device_units.get() + begin, count, on_device.view(), stream_);
            check(cudaStreamSynchronize(stream_), "trace");
            if (options.rays_done != nullptr) options.rays_done->fetch_add(count * rays_per_unit);
            if (options.cancel != nullptr && options.cancel->load()) return;
        }
        on_device.add_to(sums);
    }

    void backward(const WorkUnit* units,
                  int64_t num_units,
                  const float* flux_gradient,
                  const GradientScale& scale,
                  const GradientSums& sums) override {
        const int64_t pixels =
            int64_t{view_.num_targets} * view_.bitmap_width * view_.bitmap_height;
        const int64_t numbers = int64_t{view_.num_heliostats} * kNumHeliostatGradients;
        const DeviceArray<WorkUnit> device_units(units, num_units, stream_);
        const DeviceArray<float> gradient(flux_gradient, pixels, stream_);
        const DeviceArray<int64_t> heliostats(sums.heliostats, numbers, stream_);
        const DeviceArray<int64_t> floats(sums.floats, num_floats_, stream_);
        trace_flux_backward_cuda(view_,
                                 device_units.get(),
                                 num_units,
                                 gradient.get(),
                                 scale,
                                 {heliostats.get(), floats.get()},
                                 stream_);
        heliostats.download(sums.heliostats);
        floats.download(sums.floats);
    }

  private:
    cudaStream_t stream_;
    int64_t num_floats_;
    DeviceArray<HeliostatRecord> heliostats_;
    DeviceArray<FacetRecord> facets_;
    DeviceArray<TargetRecord> targets_;
    DeviceArray<float> floats_;
    DeviceArray<Occluder> occluders_;
    DeviceArray<OccluderFacet> occluder_facets_;
    DeviceArray<int32_t> candidates_;
    DeviceArray<ObstacleRecord> obstacles_;
    FieldView view_;
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
        // The UUID, not the bus address: two MIG instances of one GPU are two devices.
        constexpr char kHex[] = "0123456789abcdef";
        std::string text;
        for (const char byte : properties.uuid.bytes) {
            text += kHex[(static_cast<unsigned char>(byte) >> 4) & 15];
            text += kHex[static_cast<unsigned char>(byte) & 15];
        }
        return text;
    }
    std::unique_ptr<DeviceField> upload(const FieldView& field, void* stream) const override {
        return std::make_unique<FieldOnDevice>(field, static_cast<cudaStream_t>(stream));
    }
};

}  // namespace

}  // namespace helioray::kernels

/// The devices, or null where the caller's records have other sizes.
extern "C" const helioray::kernels::CudaDevices* helioray_cuda_devices(const int64_t* record_sizes,
                                                                       int64_t count) {
    using namespace helioray::kernels;
    if (!std::equal(
            std::begin(kRecordSizes), std::end(kRecordSizes), record_sizes, record_sizes + count))
        return nullptr;
    static const Devices devices;
    return &devices;
}
