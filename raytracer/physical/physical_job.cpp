// SPDX-License-Identifier: MIT
// Model "physical": preparation of a run, and its units.
#include "raytracer/physical/physical_job.h"

#include "kernels/trace_flux.h"
#include "raytracer/aiming.h"
#include "raytracer/physical/accuracy.h"
#include "raytracer/physical/align_field.h"
#include "raytracer/physical/cuda_trace.h"
#include "raytracer/physical/field.h"
#include "raytracer/physical/flux_maps.h"
#include "raytracer/physical/plan.h"
#include "raytracer/physical/sums.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <optional>

namespace helioray::physical {

namespace {

std::vector<int32_t> targets_of(const std::vector<AimedHeliostat>& aimed) {
    std::vector<int32_t> targets;
    for (const AimedHeliostat& one : aimed) targets.push_back(static_cast<int32_t>(one.target));
    return targets;
}

FieldSettings field_settings(const RunConfig& config, const Scenario& scenario, const Vec3& sun) {
    FieldSettings settings;
    settings.sun_direction = sun;
    settings.dni = config.sun.dni;
    settings.sun_shape = effective_sun_shape(config.sun, scenario);
    settings.optics = config.optics;
    settings.targets = config.targets;
    settings.obstacles = config.obstacles;
    settings.bitmap = config.bitmap;
    settings.sampling = config.tracing.sampling;
    settings.seed = config.tracing.seed;
    settings.shading = config.tracing.shading;
    settings.blocking = config.tracing.blocking;
    return settings;
}

class PhysicalJob final : public TraceJob {
  public:
    PhysicalJob(const RunConfig& config, const Scenario& scenario)
        : scenario_(scenario),
          sun_(direction_to_sun(config.sun, scenario.position)),
          aimed_(align_field(resolve_aims(config.aim, scenario),
                             scenario,
                             sun_,
                             {config.optics.tracking_error, config.tracing.seed},
                             warnings_)),
          relative_error_(config.tracing.relative_error),
          plan_(make_plan({targets_of(aimed_),
                           config.tracing.rays_per_heliostat,
                           config.bitmap.width * config.bitmap.height,
                           config.output.per_heliostat,
                           relative_error_.has_value()})),
          field_(scenario, aimed_, field_settings(config, scenario, sun_), plan_),
          layout_{static_cast<int64_t>(scenario.targets.size()),
                  static_cast<int64_t>(aimed_.size()),
                  config.bitmap.height,
                  config.bitmap.width,
                  config.output.per_heliostat},
          sums_(at::zeros({layout_.total_size()}, at::kLong)) {}

    int64_t num_units() const override { return std::ssize(plan_.units); }
    int64_t rays_of_unit(int64_t unit) const override {
        return Plan::rays(plan_.units[static_cast<size_t>(unit)]);
    }
    int64_t num_rays() const override { return plan_.rays_per_heliostat * std::ssize(aimed_); }

    std::vector<int64_t> round_ends() const override { return plan_.round_ends; }
    at::Tensor interim_sums() const override {
        return sums_.narrow(0, layout_.interim_begin(), layout_.interim_size()).clone();
    }
    bool is_accurate_enough(const at::Tensor& interim_sums) const override {
        return relative_error_ &&
               accuracy(interim_sums.const_data_ptr<int64_t>()).is_reached(*relative_error_);
    }

    void trace(int64_t begin, int64_t end, const TraceControl& control) override {
        const kernels::WorkUnit* units = plan_.units.data() + begin;
        if (control.use_cuda) {
            if (!cuda_field_) cuda_field_ = std::make_unique<CudaField>(field_, layout_);
            if (begin < end)
                cuda_field_->trace(units, end - begin, rays_of_unit(begin), control, sums_);
            count_rays(begin, end);
            return;
        }
        kernels::CpuOptions options;
        options.num_threads = control.num_threads;
        options.rays_done = control.rays_done;
        options.cancel = control.cancel;
        kernels::trace_flux_cpu(field_.view(),
                                units,
                                end - begin,
                                sums_view(layout_, sums_.mutable_data_ptr<int64_t>()),
                                options);
        count_rays(begin, end);
    }

    at::Tensor& sums() override { return sums_; }

    RunResult result() const override {
        RunResult result =
            flux_maps(scenario_, aimed_, field_, plan_, layout_, sums_.const_data_ptr<int64_t>());
        result.provenance.sun_direction = sun_;
        if (relative_error_) {
            const Accuracy reached =
                accuracy(sums_.const_data_ptr<int64_t>() + layout_.interim_begin());
            AccuracyReport report;
            report.wanted = *relative_error_;
            report.reached = reached.relative_error;
            if (reached.target) report.target = scenario_.targets[*reached.target].name;
            report.rays_per_heliostat = result.provenance.rays / std::ssize(aimed_);
            report.most_rays_per_heliostat = plan_.rays_per_heliostat;
            result.accuracy = report;
        }
        return result;
    }

  private:
    /// How many rays the sums hold is one of them, so that it is right wherever they are added.
    void count_rays(int64_t begin, int64_t end) {
        int64_t& rays = sums_.mutable_data_ptr<int64_t>()[layout_.rays_index()];
        for (int64_t unit = begin; unit < end; ++unit) rays += rays_of_unit(unit);
    }

    Accuracy accuracy(const int64_t* interim_sums) const {
        return target_accuracy(interim_sums, field_.heliostats(), field_.square_scale());
    }

    const Scenario& scenario_;
    Vec3 sun_;
    std::vector<AimedHeliostat> aimed_;
    std::optional<double> relative_error_;
    Plan plan_;
    Field field_;
    SumsLayout layout_;
    at::Tensor sums_;
    std::unique_ptr<CudaField> cuda_field_;
};

}  // namespace

std::unique_ptr<TraceJob> make_physical_job(const RunConfig& config, const Scenario& scenario) {
    return std::make_unique<PhysicalJob>(config, scenario);
}

}  // namespace helioray::physical
