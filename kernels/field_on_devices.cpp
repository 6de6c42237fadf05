// SPDX-License-Identifier: MIT
// Divides units between devices and adds their sums.
#include "kernels/field_on_devices.h"

#include "kernels/host/parallel_for.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace helioray::kernels {

namespace {

/// A launch of fewer units does not occupy a device.
constexpr int64_t kUnitsPerLaunch = 64;
/// Chunks of a backward pass for each device: a chunk copies all derivatives from and to the host.
constexpr int64_t kBackwardChunks = 4;
/// Number of sums that are copied from a device at once.
constexpr int64_t kPiece = int64_t{1} << 22;

/// Units [0, count) that devices draw in chunks, in order. The chunks become smaller towards the
/// end, so that the devices end together.
class UnitQueue {
  public:
    UnitQueue(int64_t count, int64_t devices, int64_t smallest, int64_t largest)
        : count_(count), devices_(devices), largest_(std::max<int64_t>(1, largest)) {
        // If there are few units, each device gets some.
        smallest_ = std::clamp<int64_t>((count + devices - 1) / devices, 1, smallest);
    }

    /// Returns the next chunk; empty if there is none.
    std::pair<int64_t, int64_t> draw() {
        const std::lock_guard lock(mutex_);
        const int64_t left = is_stopped_ ? 0 : count_ - next_;
        const int64_t size =
            std::min(std::max(smallest_, left / (2 * devices_)), std::min(largest_, left));
        next_ += size;
        return {next_ - size, next_};
    }

    /// Ends the distribution.
    void stop() {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
    }

    /// Returns the number of units that were drawn.
    int64_t drawn() {
        const std::lock_guard lock(mutex_);
        return next_;
    }

  private:
    const int64_t count_, devices_, largest_;
    int64_t smallest_;
    std::mutex mutex_;
    int64_t next_ = 0;
    bool is_stopped_ = false;
};

class FieldOnDevices final : public DeviceField {
  public:
    FieldOnDevices(const CudaDevices& cuda,
                   const FieldView& field,
                   const std::vector<int>& devices,
                   void* stream)
        : devices_(devices), copies_(devices.size()) {
        note_sizes(field);
        on_all([&](size_t i) { copies_[i] = cuda.upload(field, devices_[i], stream); });
    }

    void update(const FieldView& field, bool shapes_changed) override {
        note_sizes(field);
        on_all([&](size_t i) { copies_[i]->update(field, shapes_changed); });
    }

    int64_t trace(const WorkUnit* units,
                  int64_t num_units,
                  int64_t rays_per_unit,
                  const SumsLayout& layout,
                  const CpuOptions& options) override {
        use_layout(layout);
        if (is_single()) {
            int64_t traced = 0;
            on(0, [&] {
                traced = copies_[0]->trace(units, num_units, rays_per_unit, layout, options);
            });
            return traced;
        }
        // A chunk is at most one launch and is traced to its end, so that the traced units are the
        // first ones.
        CpuOptions whole_chunks = options;
        whole_chunks.cancel = nullptr;
        UnitQueue queue(num_units,
                        count(),
                        kUnitsPerLaunch,
                        kRaysPerLaunch / std::max<int64_t>(1, rays_per_unit));
        are_sums_divided_ = true;
        draw_all(queue, options.cancel, [&](size_t i, int64_t begin, int64_t end) {
            copies_[i]->trace(units + begin, end - begin, rays_per_unit, layout, whole_chunks);
        });
        return queue.drawn();
    }

    void read_sums(int64_t first, int64_t count, int64_t* host) override {
        on(0, [&] { copies_[0]->read_sums(first, count, host); });
        if (!are_sums_divided_) return;
        for (size_t i = 1; i < copies_.size(); ++i) add_sums(i, first, count, host);
    }

    void write_sums(int64_t first, int64_t count, const int64_t* host) override {
        gather_sums();
        on(0, [&] { copies_[0]->write_sums(first, count, host); });
    }

    void clear_sums() override {
        on_all([&](size_t i) { copies_[i]->clear_sums(); });
        are_sums_divided_ = false;
    }

    DeviceIntegers sums(const SumsLayout& layout) override {
        use_layout(layout);
        gather_sums();
        DeviceIntegers sums;
        on(0, [&] { sums = copies_[0]->sums(layout); });
        return sums;
    }

    DeviceIntegers copy_sums(int64_t first, int64_t count) override {
        gather_sums();
        DeviceIntegers copy;
        on(0, [&] { copy = copies_[0]->copy_sums(first, count); });
        return copy;
    }

    void download(const DeviceIntegers& integers, int64_t* host) const override {
        on(0, [&] { copies_[0]->download(integers, host); });
    }

    void backward(const WorkUnit* units,
                  int64_t num_units,
                  const float* flux_gradient,
                  const GradientScale& scale,
                  const GradientSums& sums) override {
        if (is_single()) {
            on(0, [&] { copies_[0]->backward(units, num_units, flux_gradient, scale, sums); });
            return;
        }
        // The first device adds to the sums of the caller, each other one to separate sums.
        std::vector<std::vector<int64_t>> others(copies_.size());
        std::vector<GradientSums> destinations(copies_.size(), sums);
        for (size_t i = 1; i < copies_.size(); ++i) {
            others[i].resize(static_cast<size_t>(num_heliostat_numbers_ + num_floats_), 0);
            destinations[i] = {others[i].data(), others[i].data() + num_heliostat_numbers_};
        }
        UnitQueue queue(num_units,
                        count(),
                        std::max(kUnitsPerLaunch, num_units / (kBackwardChunks * count())),
                        num_units);
        draw_all(queue, nullptr, [&](size_t i, int64_t begin, int64_t end) {
            copies_[i]->backward(units + begin, end - begin, flux_gradient, scale, destinations[i]);
        });
        for (size_t i = 1; i < copies_.size(); ++i) {
            for (int64_t k = 0; k < num_heliostat_numbers_; ++k)
                sums.heliostats[k] += destinations[i].heliostats[k];
            for (int64_t k = 0; k < num_floats_; ++k) sums.floats[k] += destinations[i].floats[k];
        }
    }

  private:
    bool is_single() const { return copies_.size() == 1; }
    int64_t count() const { return static_cast<int64_t>(copies_.size()); }

    void note_sizes(const FieldView& field) {
        num_heliostat_numbers_ = int64_t{field.num_heliostats} * kNumHeliostatGradients;
        num_floats_ = field.sizes.floats;
    }

    /// Returns what users can do without a device that failed.
    std::string advice(size_t failed) const {
        if (is_single()) return "";
        std::vector<int> others = devices_;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(failed));
        return "; leave it out with device: " + device_names(others);
    }

    /// Calls `work` for one device. Errors name it.
    template <typename Work>
    void on(size_t i, Work&& work) const {
        try {
            work();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            throw std::runtime_error(device_names({devices_[i]}) + ": " + error.what() + advice(i));
        }
    }

    /// Calls `work` for all devices at the same time, each on a thread. Throws the error of the
    /// first device that failed.
    void on_all(const std::function<void(size_t)>& work) const {
        parallel_for(copies_.size(), static_cast<int>(copies_.size()), [&](size_t i) {
            on(i, [&] { work(i); });
        });
    }

    /// Lets every device draw and process chunks of units until there are none, one device fails,
    /// or `cancel` is true.
    void draw_all(UnitQueue& queue,
                  const std::atomic<bool>* cancel,
                  const std::function<void(size_t, int64_t, int64_t)>& process) const {
        on_all([&](size_t i) {
            try {
                while (cancel == nullptr || !cancel->load()) {
                    const auto [begin, end] = queue.draw();
                    if (begin == end) return;
                    process(i, begin, end);
                }
            } catch (...) {
                queue.stop();
                throw;
            }
        });
    }

    /// Gives all devices sums of this layout; for a new layout they start at zero.
    void use_layout(const SumsLayout& layout) {
        if (layout == layout_) return;
        on_all([&](size_t i) { copies_[i]->sums(layout); });
        layout_ = layout;
        are_sums_divided_ = false;
    }

    /// Adds sums of one device to those on the host.
    void add_sums(size_t i, int64_t first, int64_t count, int64_t* host) {
        std::vector<int64_t> piece(static_cast<size_t>(std::min(kPiece, count)));
        for (int64_t begin = 0; begin < count; begin += kPiece) {
            const int64_t size = std::min(kPiece, count - begin);
            on(i, [&] { copies_[i]->read_sums(first + begin, size, piece.data()); });
            for (int64_t k = 0; k < size; ++k) {
                // Memory that stays zero needs no page.
                if (piece[static_cast<size_t>(k)] != 0)
                    host[begin + k] += piece[static_cast<size_t>(k)];
            }
        }
    }

    /// Moves the sums of all devices to the first one.
    void gather_sums() {
        if (!are_sums_divided_) return;
        const int64_t total = layout_.total_size();
        std::vector<int64_t> piece(static_cast<size_t>(std::min(kPiece, total)));
        for (int64_t begin = 0; begin < total; begin += kPiece) {
            const int64_t size = std::min(kPiece, total - begin);
            read_sums(begin, size, piece.data());
            on(0, [&] { copies_[0]->write_sums(begin, size, piece.data()); });
        }
        for (size_t i = 1; i < copies_.size(); ++i) on(i, [&] { copies_[i]->clear_sums(); });
        are_sums_divided_ = false;
    }

    const std::vector<int> devices_;
    std::vector<std::unique_ptr<DeviceField>> copies_;  ///< copies of the field, by device
    int64_t num_heliostat_numbers_ = 0;                 ///< number of derivatives by heliostat
    int64_t num_floats_ = 0;                            ///< number of derivatives by float
    SumsLayout layout_;
    bool are_sums_divided_ = false;  ///< true if other devices than the first may have sums
};

}  // namespace

std::unique_ptr<DeviceField> upload_to_devices(const CudaDevices& cuda,
                                               const FieldView& field,
                                               const std::vector<int>& devices,
                                               void* stream) {
    if (devices.empty()) throw std::invalid_argument("a field is copied to no CUDA device");
    return std::make_unique<FieldOnDevices>(
        cuda, field, devices, devices.size() == 1 ? stream : nullptr);
}

}  // namespace helioray::kernels
