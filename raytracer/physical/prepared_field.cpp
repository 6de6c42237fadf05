// SPDX-License-Identifier: MIT
// From a configuration and its scenario to a field that can be traced.
#include "raytracer/physical/prepared_field.h"

#include "raytracer/aiming.h"
#include "raytracer/physical/align_field.h"

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
    std::vector<AimedHeliostat> aimed =
        align_field(resolve_aims(config.aim, scenario),
                    scenario,
                    sun,
                    {config.optics.tracking_error, config.tracing.seed},
                    warnings);
    Plan plan = make_plan({targets_of(aimed),
                           config.tracing.rays_per_heliostat,
                           config.bitmap.width * config.bitmap.height,
                           config.output.per_heliostat,
                           config.tracing.relative_error.has_value()});
    Field field(scenario, aimed, field_settings(config, scenario, sun, cull), plan);
    return {sun, std::move(aimed), std::move(plan), std::move(field)};
}

}  // namespace helioray::physical
