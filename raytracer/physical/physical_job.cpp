// SPDX-License-Identifier: MIT
// Model "physical": preparation of a run, and its units.
#include "raytracer/physical/physical_job.h"

#include "kernels/cuda_devices.h"
#include "kernels/trace_flux.h"
#include "raytracer/physical/accuracy.h"
#include "raytracer/physical/flux_maps.h"
#include "raytracer/physical/prepared_field.h"
#include "raytracer/physical/sums.h"

#include <algorithm>
#include <optional>

namespace helioray::physical {

namespace {

class PhysicalJob final : public TraceJob {
  public:
    PhysicalJob(const RunConfig& config, const Scenario& scenario, int num_threads)
        : scenario_(scenario),
          relative_error_(config.tracing.relative_error),
          prepared_(config, scenario, true, num_threads),
          layout_(field().sums_layout(config.output.per_heliostat)),
          sums_(static_cast<size_t>(layout_.total_size())) {
        warnings_ = prepared_.warnings();
    }

    bool set_sun(const Vec3& direction, double dni, int num_threads) override {
        prepared_.set_sun(direction, dni);
        prepared_.update(num_threads);
        warnings_ = prepared_.warnings();
        std::fill(sums_.begin(), sums_.end(), 0);
        if (device_field_) {
            device_field_->update(field().view(), false);
            device_field_->clear_sums();
        }
        return true;
    }

    int64_t num_units() const override { return std::ssize(plan().units); }
    int64_t rays_of_unit(int64_t unit) const override {
        return Plan::rays(plan().units[static_cast<size_t>(unit)]);
    }
    int64_t num_rays() const override { return field().num_rays(); }

    std::vector<int64_t> round_ends() const override { return plan().round_ends; }
    std::vector<int64_t> interim_sums() const override {
        const auto begin = sums_.begin() + layout_.interim_begin();
        std::vector<int64_t> interim(begin, begin + layout_.interim_size());
        if (device_field_) add_device_sums(layout_.interim_begin(), interim);
        return interim;
    }
    bool is_accurate_enough(std::span<const int64_t> interim_sums) const override {
        return relative_error_ && accuracy(interim_sums.data()).is_reached(*relative_error_);
    }

    void trace(int64_t begin, int64_t end, const TraceControl& control) override {
        kernels::CpuOptions options;
        options.num_threads = control.num_threads;
        options.rays_done = control.rays_done;
        options.cancel = control.cancel;
        if (control.use_cuda) {
            trace_on_device(begin, end, options);
        } else {
            kernels::trace_flux_cpu(field().view(),
                                    plan().units.data() + begin,
                                    end - begin,
                                    sums_view(layout_, sums_.data()),
                                    options);
        }
        count_rays(begin, end);
    }

    std::span<int64_t> sums() override {
        collect_sums();
        return sums_;
    }

    RunResult result() const override {
        collect_sums();
        RunResult result = flux_maps(scenario_, field(), layout_, sums_.data());
        result.provenance.sun_direction = field().light().sun_direction;
        if (relative_error_) {
            const Accuracy reached = accuracy(sums_.data() + layout_.interim_begin());
            AccuracyReport report;
            report.wanted = *relative_error_;
            report.reached = reached.relative_error;
            if (reached.target) report.target = scenario_.targets[*reached.target].name;
            report.rays_per_heliostat = result.provenance.rays / std::ssize(field().aimed());
            report.most_rays_per_heliostat = plan().rays_per_heliostat;
            result.accuracy = report;
        }
        return result;
    }

  private:
    const Field& field() const { return prepared_.field(); }
    const Plan& plan() const { return field().plan(); }

    void trace_on_device(int64_t begin, int64_t end, const kernels::CpuOptions& options) {
        if (!device_field_) device_field_ = kernels::cuda_devices().upload(field().view(), nullptr);
        // Launches are sized by the units' rays, which only the units of a round share.
        for (int64_t first = begin; first < end;) {
            const auto& ends = plan().round_ends;
            const int64_t last = std::min(end, *std::upper_bound(ends.begin(), ends.end(), first));
            device_field_->trace(plan().units.data() + first,
                                 last - first,
                                 rays_of_unit(first),
                                 sums_places(layout_),
                                 options);
            first = last;
        }
    }

    /// Brings what lies on the device to the host.
    void collect_sums() const {
        if (!device_field_) return;
        add_device_sums(0, sums_);
        device_field_->clear_sums();
    }

    /// Adds those of the device from `first` on.
    void add_device_sums(int64_t first, std::span<int64_t> sums) const {
        std::vector<int64_t> on_device(sums.size());
        device_field_->read_sums(first, std::ssize(sums), on_device.data());
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += on_device[i];
    }

    /// How many rays the sums hold is one of them, so that it is right wherever they are added.
    void count_rays(int64_t begin, int64_t end) {
        int64_t& rays = sums_[static_cast<size_t>(layout_.rays_index())];
        for (int64_t unit = begin; unit < end; ++unit) rays += rays_of_unit(unit);
    }

    Accuracy accuracy(const int64_t* interim_sums) const {
        return target_accuracy(interim_sums, field().heliostats(), field().square_scale());
    }

    const Scenario& scenario_;
    std::optional<double> relative_error_;
    PreparedField prepared_;
    SumsLayout layout_;
    mutable std::vector<int64_t> sums_;  ///< without those that still lie on the device
    std::unique_ptr<kernels::DeviceField> device_field_;
};

}  // namespace

std::unique_ptr<TraceJob> make_physical_job(const RunConfig& config,
                                            const Scenario& scenario,
                                            int num_threads) {
    return std::make_unique<PhysicalJob>(config, scenario, num_threads);
}

}  // namespace helioray::physical
