// SPDX-License-Identifier: MIT
// Chooses rays of a field and traces their paths.
#include "raytracer/tracing/physical/trace_paths.h"

#include "kernels/trace_ray.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace helioray::physical {

namespace {

/// Returns the units of every heliostat, by its row.
std::vector<std::vector<kernels::WorkUnit>> units_by_row(const Field& field) {
    std::vector<std::vector<kernels::WorkUnit>> units(field.aimed().size());
    for (const kernels::WorkUnit& unit : field.plan().units) {
        for (int32_t i = 0; i < unit.num_heliostats; ++i)
            units[static_cast<size_t>(unit.first_heliostat) + static_cast<size_t>(i)].push_back(
                unit);
    }
    return units;
}

/// Returns the address of ray `ray` of the heliostat with these units.
kernels::RayAddress find_ray(const std::vector<kernels::WorkUnit>& units,
                             int32_t row,
                             int64_t ray) {
    for (const kernels::WorkUnit& unit : units) {
        if (ray < 2 * unit.rays_per_block) {
            const int64_t half = ray / unit.rays_per_block;
            return {row,
                    2 * static_cast<int64_t>(unit.pair) + half,
                    unit.rays_per_block,
                    ray - half * unit.rays_per_block};
        }
        ray -= 2 * unit.rays_per_block;
    }
    return {row, 0, 1, 0};
}

Vec3 to_vec3(const float (&v)[3]) {
    return {v[0], v[1], v[2]};
}

/// Returns the quanta that the ray has at its end.
int64_t quanta_at_end(const kernels::TracedRay& ray) {
    switch (ray.end) {
        case kernels::RayEnd::shaded:
            return ray.energy[kernels::kIncidentSum];
        case kernels::RayEnd::blocked:
            return ray.energy[kernels::kReflectedSum];
        case kernels::RayEnd::spilled:
        case kernels::RayEnd::shielded:
            return ray.energy[kernels::kUnblockedSum] - ray.energy[kernels::kAttenuatedSum];
        case kernels::RayEnd::delivered:
        case kernels::RayEnd::escaped:
        case kernels::RayEnd::reflected_shield:
        case kernels::RayEnd::bounce_limit:
        case kernels::RayEnd::secondary:
            return ray.energy[kernels::kDeliveredSum];
    }
    return 0;
}

/// Distance to which rays that meet nothing are followed beyond the target, relative to that of the
/// target's centre.
constexpr double kBeyondTarget = 0.1;

TracedPath make_path(const Field& field,
                     const kernels::TracedRay& ray,
                     const AimedHeliostat& aimed) {
    const TargetFrame& frame = field.frame(aimed.target);
    const Vec3 mirror = to_vec3(ray.mirror);
    const bool is_shaded = ray.end == kernels::RayEnd::shaded;
    const double beyond = kBeyondTarget * norm(mirror);
    const double distance = ray.end == kernels::RayEnd::spilled ? norm(mirror) + beyond
                            : ray.end == kernels::RayEnd::escaped
                                ? beyond
                                : static_cast<double>(ray.distance);
    TracedPath path;
    path.heliostat = aimed.heliostat;
    path.end = ray.end;
    path.mirror = frame.point_to_world(mirror);
    path.to_sun = normalized(frame.direction_to_world(to_vec3(ray.to_sun)));
    for (const auto& [x, y, z] : ray.reflections)
        path.reflections.push_back(frame.point_to_world({x, y, z}));
    const Vec3 direction = !ray.reflections.empty() ? to_vec3(ray.last)
                           : is_shaded              ? to_vec3(ray.to_sun)
                                                    : to_vec3(ray.reflected);
    const auto start = [&]() -> Vec3 {
        if (ray.reflections.empty()) return mirror;
        const auto& [x, y, z] = ray.reflections.back();
        return {x, y, z};
    };
    path.end_point = frame.point_to_world(add_scaled(start(), distance, direction));
    return path;
}

}  // namespace

std::vector<TracedPath> trace_paths(const Field& field,
                                    std::int64_t rays_per_heliostat,
                                    std::int64_t count) {
    const kernels::FieldView view = field.view();
    const auto units = units_by_row(field);
    const int64_t rays =
        std::min(rays_per_heliostat, field.plan().rays_per_heliostat) * std::ssize(units);
    count = std::min(count, rays);
    std::mt19937_64 random(field.settings().tracing.seed);
    std::vector<TracedPath> paths;
    paths.reserve(static_cast<size_t>(count));
    // The choice within each part keeps rays apart that share a mirror point or a stratum of the
    // sequence.
    const double part = count > 0 ? static_cast<double>(rays) / static_cast<double>(count) : 0.0;
    for (int64_t i = 0; i < count; ++i) {
        const double within = static_cast<double>(random() >> 11U) * 0x1p-53;
        const auto number =
            std::min(rays - 1, static_cast<int64_t>(part * (static_cast<double>(i) + within)));
        const int64_t per_heliostat = rays / std::ssize(units);
        const int64_t row = number / per_heliostat;
        const kernels::TracedRay ray = kernels::trace_ray(view,
                                                          find_ray(units[static_cast<size_t>(row)],
                                                                   static_cast<int32_t>(row),
                                                                   number % per_heliostat));
        TracedPath path = make_path(field, ray, field.aimed()[static_cast<size_t>(row)]);
        path.share = static_cast<double>(quanta_at_end(ray)) /
                     static_cast<double>(view.heliostats[row].ray_power);
        paths.push_back(path);
    }
    return paths;
}

}  // namespace helioray::physical
