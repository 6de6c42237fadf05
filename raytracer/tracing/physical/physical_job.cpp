// SPDX-License-Identifier: MIT
// Model "physical": prepares a run, traces its units, and converts its sums to watts.
#include "raytracer/tracing/physical/physical_job.h"

#include "kernels/core/sums_layout.h"
#include "kernels/cuda_devices.h"
#include "kernels/field_on_devices.h"
#include "kernels/trace_flux.h"
#include "raytracer/tracing/job/integer_sums.h"
#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/physical/plan.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "raytracer/tracing/physical/read_sums.h"
#include "raytracer/tracing/physical/sums.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>

namespace helioray::physical {

namespace {

/// Returns the accuracy of the target with the least certain peak flux.
Accuracy peak_accuracy(const std::vector<TargetResult>& targets, const Scenario& scenario) {
    // The peak of a receiver is that of its strongest panel; others may be dark.
    std::map<std::string, double> receiver_peaks;
    for (const TargetResult& target : targets) {
        double& peak = receiver_peaks[target.target.receiver];
        if (target.target.use == SurfaceUse::absorber) peak = std::max(peak, target.peak_flux_w_m2);
    }
    Accuracy accuracy;
    for (const TargetResult& target : targets) {
        const std::string& receiver = target.target.receiver;
        if (target.target.use != SurfaceUse::absorber) continue;
        if (!receiver.empty() && target.peak_flux_w_m2 < receiver_peaks[receiver]) continue;
        if (!(target.peak_flux_w_m2 > 0.0)) {
            accuracy.has_dark_targets = true;
            continue;
        }
        const double error = target.peak_flux_std_error_w_m2 / target.peak_flux_w_m2;
        if (accuracy.target && error <= accuracy.relative_error) continue;
        accuracy.relative_error = error;
        accuracy.target = scenario.find_target(target.target.name);
    }
    return accuracy;
}

/// Prepares the field of a run. Heliostats share units as without maps of single heliostats, which
/// change no other sum.
PreparedField prepare_field(const RunConfig& config, const Scenario& scenario, int num_threads) {
    if (!config.output.per_heliostat) return PreparedField(config, scenario, true, num_threads);
    RunConfig without_maps = config;
    without_maps.output.per_heliostat = false;
    return PreparedField(without_maps, scenario, true, num_threads);
}

class PhysicalJob final : public FieldJob {
  public:
    PhysicalJob(const RunConfig& config, const Scenario& scenario, int num_threads)
        : scenario_(scenario),
          relative_error_(config.tracing.relative_error),
          accuracy_of_(config.tracing.relative_error_of),
          per_heliostat_(config.output.per_heliostat),
          prepared_(prepare_field(config, scenario, num_threads)),
          layout_(make_layout()),
          sums_(layout_.total_size()) {
        warnings_ = prepared_.warnings();
    }

    bool set_sun(const Vec3& direction,
                 double dni,
                 std::optional<double> temperature,
                 int num_threads) override {
        prepared_.set_sun(direction, dni);
        if (temperature) prepared_.set_temperature(*temperature);
        const FieldUpdate update = prepared_.update(num_threads);
        warnings_ = prepared_.warnings();
        sums_.reset(layout_.total_size());
        light_on_host_ = false;
        if (device_field_) {
            device_field_->update(field().view(), update.shapes);
            device_field_->clear_sums();
        }
        return true;
    }

    void change(const std::function<void(PreparedField&)>& change, int num_threads) override {
        change(prepared_);
        prepared_.update(num_threads);
        warnings_ = prepared_.warnings();
        // The sizes of the sums depend on the number of heliostats.
        layout_ = make_layout();
        sums_.reset(layout_.total_size());
        light_on_host_ = false;
        device_field_.reset();
    }

    int64_t num_units() const override { return std::ssize(plan().units); }
    int64_t rays_of_unit(int64_t unit) const override {
        return Plan::rays(plan().units[static_cast<size_t>(unit)]);
    }
    int64_t num_rays() const override { return field().num_rays(); }

    std::vector<int64_t> round_ends() const override { return plan().round_ends; }
    std::vector<int64_t> interim_sums() const override {
        const auto part = sums_.all().subspan(static_cast<size_t>(interim_begin()),
                                              static_cast<size_t>(interim_size()));
        std::vector<int64_t> interim(part.begin(), part.end());
        if (device_field_) add_device_sums(interim_begin(), interim);
        return interim;
    }
    bool is_accurate_enough(std::span<const int64_t> interim_sums) const override {
        return relative_error_ && accuracy(interim_sums.data()).is_reached(*relative_error_);
    }

    int64_t trace(int64_t begin, int64_t end, const TraceControl& control) override {
        kernels::CpuOptions options;
        options.num_threads = control.num_threads;
        options.rays_done = control.rays_done;
        options.cancel = control.cancel;
        int64_t traced = 0;
        if (control.use_cuda()) {
            use_devices(control.cuda_devices);
            traced = trace_on_devices(begin, end, options);
        } else {
            traced = kernels::trace_flux_cpu(field().view(),
                                             plan().units.data() + begin,
                                             end - begin,
                                             layout_.view(sums_.all().data()),
                                             options);
            light_on_host_ = true;
        }
        count_rays(begin, begin + traced);
        return traced;
    }

    std::span<int64_t> sums() override {
        collect_sums();
        // The caller may add sums of an earlier start.
        light_on_host_ = true;
        return sums_.all();
    }

    std::span<const int64_t> fingerprinted_sums() override {
        return sums().first(static_cast<size_t>(layout_.rays_index() + 1));
    }

    void add_parts(const PartSum& add) override {
        if (!add.on_device) return TraceJob::add_parts(add);
        add.on_device(sums_on_device(add.cuda_device));
    }

    std::vector<int64_t> interim_sums_of_parts(const PartSum& add) override {
        if (!add.on_device) return TraceJob::interim_sums_of_parts(add);
        sums_on_device(add.cuda_device);
        const kernels::DeviceIntegers copy =
            device_field_->copy_sums(interim_begin(), interim_size());
        add.on_device(copy);
        std::vector<int64_t> interim(static_cast<size_t>(copy.count));
        device_field_->download(copy, interim.data());
        return interim;
    }

    RunResult result() const override { return make_result({}); }
    RunResult take_result() override {
        return make_result([this](int64_t begin, int64_t end) { sums_.give_back(begin, end); });
    }

  private:
    kernels::SumsLayout make_layout() const {
        kernels::SumsLayout layout = field().sums_layout(per_heliostat_);
        layout.differences = true;
        return layout;
    }

    RunResult make_result(const std::function<void(int64_t begin, int64_t end)>& done_with) const {
        collect_sums();
        const int64_t* const sums = sums_.all().data();
        RunResult result = read_sums(prepared_, layout_, sums, done_with);
        result.provenance.sun_direction = field().light().sun_direction;
        result.provenance.temperature_c = prepared_.temperature();
        if (relative_error_) {
            const Accuracy reached = accuracy(sums + interim_begin());
            AccuracyReport report;
            report.of = accuracy_of_;
            report.wanted = *relative_error_;
            report.reached = reached.relative_error;
            if (reached.target) report.target = scenario_.targets[*reached.target].name;
            report.rays_per_heliostat = result.provenance.rays / std::ssize(field().aimed());
            report.most_rays_per_heliostat = plan().rays_per_heliostat;
            result.accuracy = report;
        }
        return result;
    }

    const Field& field() const { return prepared_.field(); }
    const Plan& plan() const { return field().plan(); }

    int64_t trace_on_devices(int64_t begin, int64_t end, const kernels::CpuOptions& options) {
        // Launches are sized by the rays of the units, which are equal only within a round.
        for (int64_t first = begin; first < end;) {
            const auto& ends = plan().round_ends;
            const int64_t last = std::min(end, *std::upper_bound(ends.begin(), ends.end(), first));
            const int64_t traced = device_field_->trace(
                plan().units.data() + first, last - first, rays_of_unit(first), layout_, options);
            if (traced < last - first) return first + traced - begin;
            first = last;
        }
        return end - begin;
    }

    /// Copies the field to these devices unless it is there already.
    void use_devices(const std::vector<int>& devices) {
        if (device_field_ && devices == devices_) return;
        collect_sums();
        device_field_.reset();
        device_field_ =
            kernels::upload_to_devices(kernels::cuda_devices(), field().view(), devices);
        devices_ = devices;
    }

    /// Moves the sums from the devices to the host.
    void collect_sums() const {
        if (!device_field_) return;
        add_device_sums(0, sums_.all());
        device_field_->clear_sums();
        light_on_host_ = true;
    }

    /// Moves the sums from the host to the device, even if nothing has been traced.
    kernels::DeviceIntegers sums_on_device(int device) {
        use_devices({device});
        const kernels::DeviceIntegers on_device = device_field_->sums(layout_);
        // Usually the host has only counted the rays: one integer.
        const int64_t first = light_on_host_ ? 0 : layout_.rays_index();
        const auto here = sums_.all().subspan(static_cast<size_t>(first),
                                              light_on_host_ ? std::dynamic_extent : 1);
        std::vector<int64_t> together(here.begin(), here.end());
        add_device_sums(first, together);
        device_field_->write_sums(first, std::ssize(together), together.data());
        std::fill(here.begin(), here.end(), 0);
        light_on_host_ = false;
        return on_device;
    }

    /// Adds the sums of the devices from index `first` on.
    void add_device_sums(int64_t first, std::span<int64_t> sums) const {
        // Piece by piece: maps of single heliostats would be in memory twice.
        constexpr size_t kPiece = size_t{1} << 22;
        std::vector<int64_t> on_device(std::min(kPiece, sums.size()));
        for (size_t begin = 0; begin < sums.size(); begin += kPiece) {
            const auto piece = sums.subspan(begin, std::min(kPiece, sums.size() - begin));
            device_field_->read_sums(
                first + static_cast<int64_t>(begin), std::ssize(piece), on_device.data());
            for (size_t i = 0; i < piece.size(); ++i) {
                // Zeros that stay so need no page.
                if (on_device[i] != 0) piece[i] += on_device[i];
            }
        }
    }

    /// Counts the rays of the units. The number of rays is one of the sums, so it remains correct
    /// when sums are added.
    void count_rays(int64_t begin, int64_t end) {
        int64_t& rays = sums_.all()[static_cast<size_t>(layout_.rays_index())];
        for (int64_t unit = begin; unit < end; ++unit) rays += rays_of_unit(unit);
    }

    /// Returns the index of the first sum that determines the accuracy: the sums of heliostats,
    /// between maps of flux and of differences if the accuracy is that of peaks.
    int64_t interim_begin() const {
        return accuracy_of_ == AccuracyOf::peak ? 0 : layout_.interim_begin();
    }
    int64_t interim_size() const {
        return accuracy_of_ == AccuracyOf::peak ? layout_.heliostat_flux_begin()
                                                : layout_.interim_size();
    }

    Accuracy accuracy(const int64_t* interim_sums) const {
        if (accuracy_of_ == AccuracyOf::power)
            return target_accuracy(interim_sums, field().view(), field().square_scale());
        const kernels::SumsLayout layout = interim_layout();
        const RunResult result = read_sums(prepared_, layout, interim_sums);
        return peak_accuracy(result.targets, scenario_);
    }

    /// Returns the layout of the sums from 0 to interim_size(), without maps of heliostats.
    kernels::SumsLayout interim_layout() const {
        kernels::SumsLayout layout = layout_;
        layout.per_heliostat = false;
        return layout;
    }

    const Scenario& scenario_;
    std::optional<double> relative_error_;
    AccuracyOf accuracy_of_;
    bool per_heliostat_;
    PreparedField prepared_;
    kernels::SumsLayout layout_;
    mutable IntegerSums sums_;            ///< sums on the host, without those on devices
    mutable bool light_on_host_ = false;  ///< sums_ contains more than the number of rays
    std::vector<int> devices_;            ///< CUDA devices with copies of the field
    std::unique_ptr<kernels::DeviceField> device_field_;  ///< null before the first trace on one
};

}  // namespace

std::unique_ptr<FieldJob> make_physical_job(const RunConfig& config,
                                            const Scenario& scenario,
                                            int num_threads) {
    return std::make_unique<PhysicalJob>(config, scenario, num_threads);
}

}  // namespace helioray::physical
