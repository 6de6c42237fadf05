// SPDX-License-Identifier: MIT
// Builds the grids, ranges and images of a field.
#include "raytracer/solvers/aiming/traced/field_model.h"

#include "raytracer/tracing/geometry/frames.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace helioray::aiming {

std::vector<size_t> used_targets(const std::vector<AimedPoint>& points) {
    std::set<size_t> used;
    for (const AimedPoint& point : points) used.insert(point.aim.target);
    return {used.begin(), used.end()};
}

FieldModel::FieldModel(const RunConfig& config,
                       const Scenario& scenario,
                       const std::vector<AimedPoint>& points,
                       const std::vector<LimitMap>& limits,
                       int num_threads)
    : can_aim(points.size(), 1) {
    flux.num_threads = num_threads;
    flux.grid_of.resize(points.size());
    flux.images.resize(points.size());
    for (const size_t t : used_targets(points)) {
        const auto shield = std::find_if(limits.begin(), limits.end(), [&](const LimitMap& m) {
            return m.beyond && m.target == scenario.targets[t].name;
        });
        const auto extras = config.targets.find(scenario.targets[t].name);
        ReceiverGrid grid =
            make_grid(scenario.targets[t],
                      t,
                      extras != config.targets.end() ? extras->second : TargetConfig{},
                      config.bitmap,
                      image_radius(config, scenario, points, t),
                      shield != limits.end() ? *shield->beyond : PixelsBeyond{});
        grid.first_cell = flux.num_cells;
        flux.num_cells += grid.num_cells();
        for (size_t i = 0; i < points.size(); ++i)
            if (points[i].aim.target == t) flux.grid_of[i] = flux.grids.size();
        flux.grids.push_back(std::move(grid));
    }
    for (const AimedPoint& point : points) {
        const Target& target = scenario.targets[point.aim.target];
        const ReceiverGrid& grid = flux.grid(nearest.size());
        const SurfacePoint here{point.x, point.y};
        const auto* cylinder = std::get_if<CylindricalTarget>(&target.geometry);
        const bool outside = !cylinder || cylinder->side == CylindricalTarget::Side::outer;
        SurfacePoint closest = here;
        if (!point.aim.motor_positions && grid.free_x && outside)
            closest.x =
                on_surface(target,
                           unrolled(target, scenario.heliostats[point.aim.heliostat].position))
                    .x;
        nearest.push_back(closest);
        Range2 range{here, here};
        if (!point.aim.motor_positions) {
            range.low.y = -0.5 * grid.target_height();
            range.high.y = 0.5 * grid.target_height();
            if (grid.free_x) {
                range.low.x = -0.5 * grid.target_width();
                range.high.x = 0.5 * grid.target_width();
            }
        }
        ranges.push_back(range);
    }
}

void FieldModel::trace_images(const RunConfig& config,
                              const Scenario& scenario,
                              const std::vector<AimedPoint>& points,
                              ImageEffort effort) {
    if (tracers.empty()) {
        for (const ReceiverGrid& grid : flux.grids)
            tracers.push_back(std::make_unique<ImageTracer>(
                config, scenario, grid, points, ranges, effort, flux.num_threads));
    }
    for (const auto& tracer : tracers) tracer->trace(points, flux.num_threads, flux.images);
    // Clear the images of heliostats whose drives reach no aim point.
    for (size_t i = 0; i < points.size(); ++i)
        if (!can_aim[i]) flux.images[i] = Image();
}

bool FieldModel::has_lattices() const {
    return std::any_of(
        tracers.begin(), tracers.end(), [](const auto& tracer) { return tracer->has_lattices(); });
}

double FieldModel::power_std_error() const {
    double square = 0.0;
    for (size_t i = 0; i < flux.images.size(); ++i) {
        const double power = flux.images[i].power();
        square += power * power / static_cast<double>(tracers[flux.grid_of[i]]->rays());
    }
    return std::sqrt(square);
}

}  // namespace helioray::aiming
