// SPDX-License-Identifier: MIT
// Fits, traces and assesses mirrors.
#include "raytracer/solvers/reconstruction/reconstruct.h"

#include "raytracer/solvers/reconstruction/fit/common_tilt.h"
#include "raytracer/solvers/reconstruction/fit/image_score.h"
#include "raytracer/tracing/job/trace_job.h"
#include "raytracer/tracing/physical/physical_job.h"
#include "scenario/types/run_config.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace helioray::reconstruction {

namespace {

constexpr double kSameSun = 10.0 * std::numbers::pi / 180.0;
// Factors on the noise by number of sun positions. With these no pair and no three images of AA39
// and AA31 lead farther from deflectometry than the start is.
constexpr std::array<double, kFewestSunGroups - 1> kDoubts{4.0, 3.0};
// Accuracy below which images do not show the mirror that was fitted to them and others. Usual
// images reach 0.9.
constexpr double kLeastAccuracy = 0.7;
constexpr size_t kFewestImages = 2;

constexpr int kTracedPixels = 96;
constexpr double kTracedExtent = 9.0;  // metres
constexpr int64_t kTracedRays = 1'000'000;

/// Counts the groups of suns that are linked by less than 10 degrees.
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

/// Returns a window in units of its largest value.
FluxWindow window_to_fit(const FluxRecord& record) {
    FluxWindow window = window_about_centroid(record.map, kImagePixels);
    const double most = *std::max_element(window.values.begin(), window.values.end());
    for (double& value : window.values) value /= most;
    for (double& value : window.noise.single) value /= most;
    for (double& value : window.noise.smooth) value /= most;
    return window;
}

/// Returns the agreement of the model's image with the measured one.
double accuracy_of_model(const FluxWindow& measured, const std::vector<double>& model) {
    const std::vector<bool> all(model.size(), true);
    std::vector<double> light = model;
    for (double& value : light) value = std::max(0.0, value);
    return flux_accuracy({light, all, {}}, measured);
}

/// Light of the start surface and of the fitted surface in the window of an image.
struct TracedMaps {
    FluxMap before, after;
};

std::vector<TracedMaps> trace_maps(const Scenario& scenario,
                                   const Reconstruction& found,
                                   std::span<const FluxRecord> records,
                                   int num_threads,
                                   const StopCheck& stop) {
    const std::shared_ptr<const Surface>& start = scenario.heliostats[found.heliostat].surface;
    std::vector<TracedMaps> maps;
    for (const FluxRecord& record : records) {
        obey(stop);
        maps.push_back({traced_map(scenario, record, start, {}, num_threads),
                        traced_map(scenario, record, found.surface, found.optics, num_threads)});
    }
    return maps;
}

std::vector<ImageAccuracy> list_accuracies(std::span<const FluxRecord> records,
                                           const std::vector<TracedMaps>& maps) {
    std::vector<ImageAccuracy> result;
    for (size_t i = 0; i < records.size(); ++i) {
        const FluxWindow measured = window_about_centroid(records[i].map, kAccuracyPixels);
        const auto accuracy = [&](const FluxMap& map) {
            return flux_accuracy(window_about_centroid(map, kAccuracyPixels), measured);
        };
        result.push_back({records[i].id, accuracy(maps[i].before), accuracy(maps[i].after)});
    }
    return result;
}

/// Returns true if the images are more probable with the fitted surface than with the start
/// surface.
bool explains_better(const std::vector<FitImage>& images,
                     const std::vector<TracedMaps>& maps,
                     const PixelNoise& noise) {
    double gain = 0.0;
    for (size_t i = 0; i < images.size(); ++i)
        gain += misfit_of_traced(images[i], maps[i].before, noise) -
                misfit_of_traced(images[i], maps[i].after, noise);
    return gain > 0.0;
}

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
    std::vector<FluxWindow> windows;
    for (const FluxRecord& record : used) {
        windows.push_back(window_to_fit(record));
        images.push_back({record.geometry, windows.back().values, windows.back().seen});
    }
    MirrorFit fit;
    for (;;) {
        result.sun_groups = count_sun_groups(used);
        const bool few = result.sun_groups < kFewestSunGroups;
        fit = fit_mirror(shape, images, few ? kDoubts[result.sun_groups - 1] : 1.0, stop);
        std::vector<double> accuracies;
        for (size_t i = 0; i < images.size(); ++i)
            accuracies.push_back(accuracy_of_model(windows[i], fit.models[i]));
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
        windows.erase(windows.begin() + at);
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
    std::vector<TracedMaps> maps = trace_maps(scenario, result, used, num_threads, stop);
    result.improved = explains_better(images, maps, {fit.noise, fit.noise_power});
    if (!result.improved) {
        result.surface = heliostat.surface;
        result.optics = {};
        // The fit estimates the distance of the start from the mirror.
        const size_t count = fit.unknowns.size();
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < count; ++j)
                fit.covariance[i * count + j] += fit.unknowns[i] * fit.unknowns[j];
        result.slope_deviation = shape.slope_deviation(fit.covariance, fit.unresolved);
        for (TracedMaps& map : maps) map.after = map.before;
    }
    result.fitted = list_accuracies(used, maps);
    result.test = list_accuracies(test, trace_maps(scenario, result, test, num_threads, stop));
    for (size_t i = 0; i < used.size(); ++i) {
        // The mean of several maxima may have a variance below 0.
        const double variance = std::pow(fit.optics.slope_error, 2) + fit.own[i].blur;
        result.images.push_back({used[i].id,
                                 std::move(windows[i]),
                                 std::move(fit.models[i]),
                                 std::sqrt(std::max(0.0, variance))});
    }
    return result;
}

}  // namespace helioray::reconstruction
