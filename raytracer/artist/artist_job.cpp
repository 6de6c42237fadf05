// SPDX-License-Identifier: MIT
// Runs model "artist" as a job.
#include "raytracer/artist/artist.h"
#include "raytracer/artist/field.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/job/integer_sums.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/job/trace_job.h"
#include "scenario/files/error.h"
#include "scenario/types/run_config.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace helioray {

namespace {

/// Integers per row that follow the bitmaps in the vector of sums.
enum RowSum : int64_t { kRays, kOnTarget, kUnblocked, kIntercepted, kBitmapSum, kNumRowSums };

std::optional<GaussianShape> gaussian_shape(const SunConfig& sun) {
    if (!sun.shape) return std::nullopt;
    if (const auto* gaussian = std::get_if<GaussianShape>(&*sun.shape)) return *gaussian;
    throw InputError(Problem{"sun.shape",
                             "model artist knows only the gaussian sun shape",
                             "ARTIST has no other",
                             "use {type: gaussian, sigma_mrad: ...} or model physical"});
}

ArtistRun artist_run(const RunConfig& config, const Scenario& scenario) {
    ArtistRun run;
    const Vec3 to_sun = direction_to_sun(config.sun, scenario.position);
    for (const Aim& aim : resolve_aims(config.aim, scenario, Model::artist)) {
        ArtistSample sample;
        sample.heliostat = aim.heliostat;
        sample.target = aim.target;
        sample.incident_direction = {-to_sun[0], -to_sun[1], -to_sun[2]};
        sample.motor_positions = aim.motor_positions;
        if (!aim.motor_positions) sample.aim_point = aim.point;
        run.samples.push_back(sample);
    }
    run.surface_points_per_facet = config.artist.surface_points_per_facet;
    run.rays_per_point = config.artist.rays_per_point;
    run.sun_shape = gaussian_shape(config.sun);
    if (config.artist.magnitude == ArtistConfig::Magnitude::dni) run.dni = config.sun.dni;
    run.reflectivity = config.optics.reflectivity;
    run.extinction = config.artist.extinction;
    run.bitmap_width = config.bitmap.width;
    run.bitmap_height = config.bitmap.height;
    run.batch_size = config.artist.batch_size;
    run.seed = config.tracing.seed;
    run.blocking = config.tracing.blocking;
    return run;
}

int64_t rays_per_point(const ArtistRun& run, const Scenario& scenario) {
    return run.rays_per_point.value_or(
        scenario.light_sources.empty() ? 0 : scenario.light_sources.front().number_of_rays);
}

/// Returns the magnitude of a ray of each row before any loss, in the order of rows.
std::vector<double> row_magnitudes(const ArtistRun& run, const Scenario& scenario) {
    std::vector<double> magnitudes;
    for (const artist::Group& group : artist::make_groups(scenario, run)) {
        const double magnitude =
            artist::ray_magnitude(scenario, group, run, rays_per_point(run, scenario));
        magnitudes.insert(magnitudes.end(), group.samples.size(), magnitude);
    }
    return magnitudes;
}

int64_t rays_per_row(const ArtistRun& run, const Scenario& scenario, size_t heliostat) {
    const auto facets = static_cast<int64_t>(scenario.heliostats[heliostat].surface->facets.size());
    return facets * run.surface_points_per_facet[0] * run.surface_points_per_facet[1] *
           rays_per_point(run, scenario);
}

/// Returns the size in LibTorch's "can't allocate memory: you tried to allocate 8 bytes", or 0 if
/// the message has none.
std::uint64_t bytes_asked_for(const std::string& message) {
    const std::string before = "tried to allocate ";
    const size_t at = message.find(before);
    return at == std::string::npos
               ? 0
               : std::strtoull(message.c_str() + at + before.size(), nullptr, 10);
}

/// Runs `call` and converts LibTorch's errors to exceptions without a stack trace that programs
/// without LibTorch can catch.
template <typename Call>
auto translated(Call&& call) {
    try {
        return call();
    } catch (const c10::Error& error) {
        const std::string message = error.what_without_backtrace();
        if (message.find("can't allocate memory") != std::string::npos)
            throw kernels::OutOfMemory(bytes_asked_for(message));
        throw std::runtime_error(message);
    }
}

class ArtistJob final : public TraceJob {
  public:
    ArtistJob(const RunConfig& config, const Scenario& scenario)
        : scenario_(scenario),
          run_(artist_run(config, scenario)),
          order_(artist_row_order(scenario, run_)),
          pixels_(run_.bitmap_width * run_.bitmap_height),
          num_targets_(static_cast<int64_t>(scenario.targets.size())),
          keeps_rows_(config.output.per_heliostat),
          sums_(first_row_pixel(keeps_rows_ ? num_units() : 0)),
          sun_(direction_to_sun(config.sun, scenario.position)) {
        // Aligning all rows and tracing none detects all problems before any work begins.
        run_.rows = ArtistRows{0, 0};
        // Tensors of the preparation are small, so several threads would cost more than they save.
        at::set_num_threads(1);
        prepared_ = translated([&] { return trace_artist(scenario_, run_); });
        warnings_ = prepared_.warnings;
        magnitudes_ = row_magnitudes(run_, scenario_);
    }

    int64_t num_units() const override { return std::ssize(order_); }
    int64_t rays_of_unit(int64_t unit) const override {
        return rays_per_row(
            run_, scenario_, run_.samples[order_[static_cast<size_t>(unit)]].heliostat);
    }
    int64_t num_rays() const override {
        int64_t rays = 0;
        for (int64_t unit = 0; unit < num_units(); ++unit) rays += rays_of_unit(unit);
        return rays;
    }

    int64_t trace(int64_t begin, int64_t end, const TraceControl& control) override {
        at::set_num_threads(control.num_threads);
        int64_t traced_rows = 0;
        run_.rows = ArtistRows{begin, end};
        run_.on_row = [&](int64_t index, const ArtistRow& row, const at::Tensor& bitmap) {
            if (keeps_rows_) {
                add(bitmap, first_row_pixel(index));
            }
            ++traced_rows;
            if (control.rays_done != nullptr) control.rays_done->fetch_add(row.rays);
        };
        run_.on_progress = [&](int64_t, int64_t) {
            return control.cancel == nullptr || !control.cancel->load();
        };
        const ArtistResult traced = translated([&] { return trace_artist(scenario_, run_); });
        add(traced.sums, 0);
        int64_t* numbers = row_sums();
        for (int64_t r = begin; r < end; ++r) {
            const ArtistRow& row = traced.rows[static_cast<size_t>(r)];
            int64_t* of_row = numbers + r * kNumRowSums;
            of_row[kRays] += row.rays;
            of_row[kOnTarget] += row.rays_on_target;
            of_row[kUnblocked] += row.rays_unblocked;
            of_row[kIntercepted] += row.rays_intercepted;
            of_row[kBitmapSum] += row.bitmap_sum;
        }
        return traced_rows;
    }

    std::span<int64_t> sums() override { return sums_.all(); }
    std::span<const int64_t> fingerprinted_sums() override {
        return sums_.all().first(static_cast<size_t>(first_row_pixel(0)));
    }

    RunResult result() const override { return make_result({}); }
    RunResult take_result() override {
        return make_result([this](int64_t begin, int64_t end) { sums_.give_back(begin, end); });
    }

  private:
    using DoneWith = std::function<void(int64_t begin, int64_t end)>;

    /// done_with: called with the place of a heliostat's map among the sums once it is read.
    RunResult make_result(const DoneWith& done_with) const {
        RunResult result;
        result.provenance.sun_direction = sun_;
        result.provenance.rays = num_rays();
        std::vector<double> power(scenario_.targets.size(), 0.0);
        std::vector<bool> used(scenario_.targets.size(), false);
        for (int64_t unit = 0; unit < num_units(); ++unit) {
            const ArtistSample& sample = run_.samples[order_[static_cast<size_t>(unit)]];
            result.heliostats.push_back(heliostat_result(unit, sample));
            if (keeps_rows_ && done_with)
                done_with(first_row_pixel(unit), first_row_pixel(unit + 1));
            power[sample.target] += result.heliostats.back().energy.target_power;
            used[sample.target] = true;
        }
        std::sort(result.heliostats.begin(),
                  result.heliostats.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        for (size_t t = 0; t < used.size(); ++t) {
            if (used[t]) result.targets.push_back(target_result(t, power[t]));
        }
        return result;
    }

    /// Returns the index of a row's bitmap; bitmaps of single rows follow the numbers of all rows.
    int64_t first_row_pixel(int64_t row) const {
        return (num_targets_ + row) * pixels_ + num_units() * kNumRowSums;
    }

    int64_t* row_sums() { return sums_.all().data() + num_targets_ * pixels_; }
    const int64_t* row_sums() const { return sums_.all().data() + num_targets_ * pixels_; }

    /// Adds a tensor of integers to the sums from index `first` on.
    void add(const at::Tensor& values, int64_t first) {
        const at::Tensor dense = values.contiguous();
        const int64_t* from = dense.const_data_ptr<int64_t>();
        for (int64_t i = 0; i < dense.numel(); ++i)
            sums_.all()[static_cast<size_t>(first + i)] += from[i];
    }

    /// Returns the result of one heliostat. ARTIST separates no losses: spillage here contains all
    /// light that is neither absorbed by the mirror nor lost by extinction and that no pixel
    /// receives (misses, blocking, the cosine at the target P23, the rim of the bitmap).
    HeliostatResult heliostat_result(int64_t unit, const ArtistSample& sample) const {
        const ArtistRow& row = prepared_.rows[static_cast<size_t>(unit)];
        const int64_t* numbers = row_sums() + unit * kNumRowSums;
        HeliostatResult heliostat;
        heliostat.name = scenario_.heliostats[sample.heliostat].name;
        heliostat.target = scenario_.targets[sample.target].name;
        heliostat.orientation = row.orientation;
        heliostat.mirror_outline = mirror_outline(*scenario_.heliostats[sample.heliostat].surface);
        heliostat.motor_positions = row.motor_positions;
        heliostat.aim_point = row.aim_point;
        heliostat.rays = numbers[kRays];
        EnergyTerms& energy = heliostat.energy;
        energy.solar_power =
            magnitudes_[static_cast<size_t>(unit)] * static_cast<double>(numbers[kRays]);
        energy.reflection_loss = (1.0 - run_.reflectivity) * energy.solar_power;
        energy.attenuation_loss = run_.extinction * (energy.solar_power - energy.reflection_loss);
        energy.target_power = static_cast<double>(numbers[kBitmapSum]) / prepared_.scale;
        energy.spillage_loss = energy.solar_power - energy.reflection_loss -
                               energy.attenuation_loss - energy.target_power;
        if (keeps_rows_) {
            const int64_t* bitmap = sums_.all().data() + first_row_pixel(unit);
            heliostat.flux.reserve(static_cast<size_t>(pixels_));
            for (int64_t p = 0; p < pixels_; ++p) {
                heliostat.flux.push_back(
                    static_cast<float>(static_cast<double>(bitmap[p]) / prepared_.scale));
            }
        }
        return heliostat;
    }

    TargetResult target_result(size_t t, double power) const {
        TargetResult target;
        target.target = scenario_.targets[t];
        target.width = run_.bitmap_width;
        target.height = run_.bitmap_height;
        target.unit = std::string(run_.dni ? "W" : "1");
        const int64_t* bitmap = sums_.all().data() + static_cast<int64_t>(t) * pixels_;
        target.flux.reserve(static_cast<size_t>(pixels_));
        for (int64_t p = 0; p < pixels_; ++p) {
            target.flux.push_back(static_cast<double>(bitmap[p]) / prepared_.scale);
        }
        target.flux_std_error.assign(static_cast<size_t>(pixels_), 0.0);
        target.power_w = power;
        add_map_statistics(target);
        return target;
    }

    const Scenario& scenario_;
    ArtistRun run_;
    std::vector<size_t> order_;
    int64_t pixels_;
    int64_t num_targets_;
    bool keeps_rows_;  ///< store a bitmap of each heliostat
    IntegerSums sums_;
    Vec3 sun_;
    ArtistResult prepared_;           ///< alignment of every row, without rays
    std::vector<double> magnitudes_;  ///< magnitude of a ray, by row
};

}  // namespace

}  // namespace helioray

/// Entry point of the module helioray_artist: prepares a run whose units are ARTIST's rows (active
/// heliostats). The caller owns the job; the scenario must outlive it. Throws InputError for runs
/// that ARTIST cannot trace.
extern "C" helioray::TraceJob* helioray_make_artist_job(const helioray::RunConfig& config,
                                                        const helioray::Scenario& scenario) {
    return new helioray::ArtistJob(config, scenario);
}
