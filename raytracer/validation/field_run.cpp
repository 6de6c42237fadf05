// SPDX-License-Identifier: MIT
// A scene for the kernels alone.
#include "raytracer/validation/field_run.h"

#include "kernels/trace_flux_backward.h"
#include "raytracer/aiming.h"
#include "raytracer/physical/align_field.h"

namespace helioray::validation {

namespace {

Vec3 sun_of(const Scene& scene) {
    return direction_to_sun(scene.config.sun, scene.scenario.position);
}

std::vector<physical::AimedHeliostat> align(const Scene& scene) {
    std::vector<std::string> warnings;
    return physical::align_field(resolve_aims(scene.config.aim, scene.scenario),
                                 scene.scenario,
                                 sun_of(scene),
                                 {scene.config.optics.tracking_error, scene.config.tracing.seed},
                                 warnings);
}

physical::Plan plan(const Scene& scene, const std::vector<physical::AimedHeliostat>& aimed) {
    physical::PlanRequest request;
    for (const physical::AimedHeliostat& one : aimed)
        request.targets.push_back(static_cast<int32_t>(one.target));
    request.rays = scene.config.tracing.rays_per_heliostat;
    request.num_pixels = scene.config.bitmap.width * scene.config.bitmap.height;
    return physical::make_plan(request);
}

physical::FieldSettings settings(const Scene& scene) {
    const RunConfig& config = scene.config;
    physical::FieldSettings settings;
    settings.sun_direction = sun_of(scene);
    settings.dni = config.sun.dni;
    settings.sun_shape = effective_sun_shape(config.sun, scene.scenario);
    settings.optics = config.optics;
    settings.bitmap = config.bitmap;
    settings.sampling = config.tracing.sampling;
    settings.seed = config.tracing.seed;
    settings.shading = config.tracing.shading;
    settings.blocking = config.tracing.blocking;
    return settings;
}

}  // namespace

FieldRun::FieldRun(const Scene& scene)
    : aimed_(align(scene)),
      plan_(plan(scene, aimed_)),
      field_(scene.scenario, aimed_, settings(scene), plan_),
      num_rays_(plan_.rays_per_heliostat * std::ssize(aimed_)) {}

double FieldRun::backward(int num_threads) const {
    const kernels::FieldView view = field_.view();
    const auto num_units = std::ssize(plan_.units);
    const auto pixels = static_cast<size_t>(view.bitmap_width) * view.bitmap_height;
    const std::vector<float> gradient(static_cast<size_t>(view.num_targets) * pixels, 1.0f);
    const kernels::GradientScale scale =
        kernels::gradient_scale(view, plan_.units.data(), num_units, 1.0f);
    std::vector<int64_t> heliostats(
        static_cast<size_t>(view.num_heliostats) * kernels::kNumHeliostatGradients, 0);
    std::vector<int64_t> floats(field_.floats().size(), 0);
    kernels::CpuOptions options;
    options.num_threads = num_threads;
    kernels::trace_flux_backward_cpu(view,
                                     plan_.units.data(),
                                     num_units,
                                     gradient.data(),
                                     scale,
                                     {heliostats.data(), floats.data()},
                                     options);
    double value = 0.0;
    for (int32_t i = 0; i < view.num_heliostats; ++i) {
        const auto index = static_cast<size_t>(i) * kernels::kNumHeliostatGradients;
        value += static_cast<double>(heliostats[index + kernels::kValueGradient]) /
                 scale.heliostat[kernels::kValueGradient];
    }
    return value;
}

}  // namespace helioray::validation
