// SPDX-License-Identifier: MIT
// From a configuration and its scenario to a field that can be traced.
#include "raytracer/physical/prepared_field.h"

#include "raytracer/aiming.h"
#include "raytracer/physical/align_field.h"
#include "scenario/config/checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray::physical {

namespace {

FieldSettings field_settings(const RunConfig& config,
                             const Scenario& scenario,
                             const Vec3& sun,
                             bool cull) {
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
    settings.cull = cull;
    return settings;
}

/// ARTIST shifts its sun by a mean about two axes of the world; a sun in the sky has none.
void warn_of_shifted_sun(const RunConfig& config,
                         const Scenario& scenario,
                         std::vector<std::string>& warnings) {
    if (config.sun.shape || scenario.light_sources.empty()) return;
    const LightSource& source = scenario.light_sources.front();
    if (source.mean == 0.0) return;
    warnings.push_back(
        fmt::format("/lightsources/{}: its mean of {:.7g} rad is left out: the sun of model "
                    "physical is centred",
                    source.name,
                    source.mean));
}

}  // namespace

std::vector<int32_t> targets_of(const std::vector<AimedHeliostat>& aimed) {
    std::vector<int32_t> targets;
    for (const AimedHeliostat& one : aimed) targets.push_back(static_cast<int32_t>(one.target));
    return targets;
}

PreparedField prepare_field(const RunConfig& config,
                            const Scenario& scenario,
                            std::vector<std::string>& warnings,
                            bool cull) {
    const Vec3 sun = direction_to_sun(config.sun, scenario.position);
    warn_of_shifted_sun(config, scenario, warnings);
    std::vector<AimedHeliostat> aimed =
        align_field(resolve_aims(config.aim, scenario),
                    scenario,
                    sun,
                    {config.optics.tracking_error, config.tracing.seed},
                    warnings);
    PlanRequest request;
    request.targets = targets_of(aimed);
    request.rays =
        std::min(config.tracing.rays_per_heliostat, most_rays_per_heliostat(aimed.size()));
    request.num_pixels = config.bitmap.width * config.bitmap.height;
    request.separate_heliostats = config.output.per_heliostat;
    request.in_rounds = config.tracing.relative_error.has_value();
    request.full_bundles = true;
    request.large_units = true;
    Plan plan = make_plan(request);
    Field field(scenario, aimed, field_settings(config, scenario, sun, cull), plan);
    return {sun, std::move(aimed), std::move(plan), std::move(field)};
}

}  // namespace helioray::physical
