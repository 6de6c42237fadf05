// SPDX-License-Identifier: MIT
// Fits, traces and judges.
#include "raytracer/reconstruction/reconstruct.h"

#include "raytracer/job/trace_job.h"
#include "raytracer/physical/physical_job.h"
#include "raytracer/reconstruction/common_tilt.h"
#include "scenario/run_config.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace helioray::reconstruction {

namespace {

constexpr double kSameSun = 10.0 * std::numbers::pi / 180.0;
// By places of the sun. With these no pair and no three images of AA39 and AA31 lead farther from
// deflectometry than the start is.
constexpr std::array<double, kFewestSunGroups - 1> kDoubts{4.0, 3.0};
// Images that agree less with a mirror fitted to them and others show something else. Usual ones
// reach 0.9.
constexpr double kLeastAccuracy = 0.7;
constexpr size_t kFewestImages = 2;

constexpr int kTracedPixels = 96;
constexpr double kTracedExtent = 9.0;  // metres
constexpr int64_t kTracedRays = 1'000'000;

/// Groups of suns that are linked by less than 10 degrees.
size_t count_sun_groups(std::span<const FluxRecord> records) {
    std::vector<size_t> group(records.size());
    std::iota(group.begin(), group.end(), size_t{0});
    size_t count = records.size();
    for (size_t i = 0; i < records.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            const double cosine = dot(records[i].geometry.to_sun, records[j].geometry.to_sun);
            if (group[i] == group[j] || cosine < std::cos(kSameSun)) continue;
            --count;
            const size_t old = group[i];
            std::replace(group.begin(), group.end(), old, group[j]);
        }
    }
    return count;
}

FitImage fit_image(const FluxRecord& record) {
    FluxWindow window = window_about_centroid(record.map, kImagePixels);
    const double most = *std::max_element(window.values.begin(), window.values.end());
    for (double& value : window.values) value /= most;
    return {record.geometry, std::move(window.values), std::move(window.seen)};
}

/// Agreement of the model's own image with the measured one.
double accuracy_of_model(const FitImage& image, const std::vector<double>& model) {
    const std::vector<bool> all(model.size(), true);
    std::vector<double> light = model;
    for (double& value : light) value = std::max(0.0, value);
    return flux_accuracy({light, all, {}}, {image.brightness, image.seen, {}});
}

class Accuracies {
  public:
    Accuracies(const Scenario& scenario,
               const Surface& start,
               const Reconstruction& found,
               int num_threads,
               const StopCheck& stop)
        : scenario_(scenario),
          start_(std::make_shared<const Surface>(start)),
          found_(found),
          num_threads_(num_threads),
          stop_(stop) {}

    std::vector<ImageAccuracy> of(std::span<const FluxRecord> records) const {
        std::vector<ImageAccuracy> result;
        for (const FluxRecord& record : records) {
            obey(stop_);
            const FluxWindow measured = window_about_centroid(record.map, kAccuracyPixels);
            const auto accuracy = [&](const auto& surface, const ImageOptics& optics) {
                const FluxMap map = traced_map(scenario_, record, surface, optics, num_threads_);
                return flux_accuracy(window_about_centroid(map, kAccuracyPixels), measured);
            };
            result.push_back(
                {record.id, accuracy(start_, {}), accuracy(found_.surface, found_.optics)});
        }
        return result;
    }

  private:
    const Scenario& scenario_;
    std::shared_ptr<const Surface> start_;
    const Reconstruction& found_;
    int num_threads_;
    const StopCheck& stop_;
};

}  // namespace

FluxMap traced_map(const Scenario& scenario,
                   const FluxRecord& record,
                   std::shared_ptr<const Surface> surface,
                   const ImageOptics& optics,
                   int num_threads) {
    Scenario alone = scenario;
    Heliostat heliostat = scenario.heliostats[record.heliostat];
    heliostat.surface = std::move(surface);
    alone.heliostats = {heliostat};
    alone.targets = {
        Target{"image",
               PlanarTarget{
                   record.geometry.centre, record.geometry.normal, kTracedExtent, kTracedExtent}}};
    RunConfig config;
    config.sun.position = SunIncidentDirection{scaled(-1.0, record.geometry.to_sun)};
    config.sun.shape = BuieShape{optics.circumsolar_ratio};
    config.aim.target = "image";
    config.aim.point = record.geometry.centre;
    config.optics.slope_error = GaussianShape{optics.slope_error};
    config.tracing.rays_per_heliostat = kTracedRays;
    config.tracing.shading = config.tracing.blocking = false;
    config.bitmap = {kTracedPixels, kTracedPixels, Filter::box};
    const auto job = physical::make_physical_job(config, alone, num_threads);
    TraceControl control;
    control.num_threads = num_threads;
    job->trace(0, job->num_units(), control);
    return {kTracedPixels,
            kTracedPixels,
            {kTracedExtent, kTracedExtent},
            job->result().targets.at(0).flux};
}

Reconstruction reconstruct_mirror(const Scenario& scenario,
                                  std::span<const FluxRecord> fitted,
                                  std::span<const FluxRecord> test,
                                  int num_threads,
                                  const StopCheck& stop) {
    Reconstruction result;
    result.heliostat = fitted.front().heliostat;
    const Heliostat& heliostat = scenario.heliostats[result.heliostat];
    const MirrorShape shape(*heliostat.surface);

    std::vector<FluxRecord> used(fitted.begin(), fitted.end());
    std::vector<FitImage> images;
    for (const FluxRecord& record : used) images.push_back(fit_image(record));
    MirrorFit fit;
    for (;;) {
        result.sun_groups = count_sun_groups(used);
        const bool few = result.sun_groups < kFewestSunGroups;
        fit = fit_mirror(shape, images, few ? kDoubts[result.sun_groups - 1] : 1.0, stop);
        std::vector<double> accuracies;
        for (size_t i = 0; i < images.size(); ++i)
            accuracies.push_back(accuracy_of_model(images[i], fit.models[i]));
        const auto worst = std::min_element(accuracies.begin(), accuracies.end());
        if (*worst >= kLeastAccuracy || images.size() <= kFewestImages) break;
        const auto at = worst - accuracies.begin();
        result.rejected.push_back(
            {heliostat.name,
             used[static_cast<size_t>(at)].id,
             fmt::format(
                 "its image contradicts the others: flux accuracy {:.2f} where all are fitted",
                 *worst)});
        used.erase(used.begin() + at);
        images.erase(images.begin() + at);
    }

    if (result.sun_groups > 1) {
        // Records of one sun would agree with any kinematics.
        if (const auto tilt = shown_tilt(shape, fit, used)) {
            take_tilt(shape, *tilt, fit);
            result.tilt_shown = true;
        }
    }
    result.surface = std::make_shared<const Surface>(
        shape.surface(fit.unknowns, fit.covariance, fit.unresolved));
    result.optics = fit.optics;
    result.noise = fit.noise;
    result.maxima = fit.maxima;
    result.slope_deviation = shape.slope_deviation(fit.covariance, fit.unresolved);
    const Accuracies accuracies(scenario, *heliostat.surface, result, num_threads, stop);
    result.fitted = accuracies.of(used);
    const auto gain = [](double sum, const ImageAccuracy& image) {
        return sum + image.after - image.before;
    };
    result.improved = std::accumulate(result.fitted.begin(), result.fitted.end(), 0.0, gain) > 0.0;
    if (!result.improved) {
        result.surface = heliostat.surface;
        result.optics = {};
        // The fit says how far the start is from the mirror.
        const size_t count = fit.unknowns.size();
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < count; ++j)
                fit.covariance[i * count + j] += fit.unknowns[i] * fit.unknowns[j];
        result.slope_deviation = shape.slope_deviation(fit.covariance, fit.unresolved);
        result.fitted = accuracies.of(used);
    }
    result.test = accuracies.of(test);
    for (size_t i = 0; i < used.size(); ++i) {
        // The mean of several maxima may have a variance below 0.
        const double variance = std::pow(fit.optics.slope_error, 2) + fit.own[i].blur;
        result.images.push_back({used[i].id,
                                 {images[i].brightness, images[i].seen, {}},
                                 std::move(fit.models[i]),
                                 std::sqrt(std::max(0.0, variance))});
    }
    return result;
}

}  // namespace helioray::reconstruction
