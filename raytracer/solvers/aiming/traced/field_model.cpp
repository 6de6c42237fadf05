// SPDX-License-Identifier: MIT
// Builds the grids, ranges and images of a field.
#include "raytracer/solvers/aiming/traced/field_model.h"

#include "raytracer/solvers/aiming/model/aim_surface.h"
#include "raytracer/tracing/geometry/frames.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace helioray::aiming {

std::vector<size_t> used_targets(const Scenario& scenario, const std::vector<AimedPoint>& points) {
    std::set<size_t> used;
    bool any_surface = false;
    for (const AimedPoint& point : points) {
        if (scenario.targets[point.aim.target].receiver.empty())
            used.insert(point.aim.target);
        else
            any_surface = true;
    }
    std::vector<size_t> targets(used.begin(), used.end());
    for (size_t t = 0; any_surface && t < scenario.targets.size(); ++t) {
        const Target& target = scenario.targets[t];
        if (!target.receiver.empty() && target.use == SurfaceUse::absorber) targets.push_back(t);
    }
    return targets;
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
    std::vector<size_t> surfaces;
    for (const size_t t : used_targets(scenario, points)) {
        if (!scenario.targets[t].receiver.empty()) {
            surfaces.push_back(t);
            continue;
        }
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
    flux.surfaces.first = flux.num_cells;
    for (ReceiverGrid& grid :
         make_surface_grids(scenario.targets, surfaces, config.bitmap, flux.num_cells)) {
        flux.num_cells += grid.num_cells();
        for (size_t i = 0; i < points.size(); ++i)
            if (points[i].aim.target == grid.target) flux.grid_of[i] = flux.grids.size();
        flux.grids.push_back(std::move(grid));
    }
    flux.surfaces.count = flux.num_cells - flux.surfaces.first;
    for (const AimedPoint& point : points) {
        aim_surfaces.push_back(aim_surface(scenario, point));
        const Target& target = aim_surfaces.back();
        const ReceiverGrid& own_grid = flux.grid(nearest.size());
        AimArea area{own_grid.target_width(), own_grid.target_height(), own_grid.free_x};
        if (own_grid.is_surface) {
            const auto [width, height] = surface_extent(target);
            area = {width,
                    height,
                    is_flat(target) ? !is_narrow(config, scenario, point, width) : own_grid.free_x};
        }
        flux.areas.push_back(area);
        const SurfacePoint here{point.x, point.y};
        const auto* cylinder = std::get_if<CylindricalTarget>(&target.geometry);
        const bool outside = !cylinder || cylinder->side == CylindricalTarget::Side::outer;
        SurfacePoint closest = here;
        if (!point.aim.motor_positions && area.free_x && outside)
            closest.x =
                on_surface(target,
                           unrolled(target, scenario.heliostats[point.aim.heliostat].position))
                    .x;
        nearest.push_back(closest);
        Range2 range{here, here};
        if (!point.aim.motor_positions) {
            range.low.y = -0.5 * area.height;
            range.high.y = 0.5 * area.height;
            if (area.free_x) {
                range.low.x = -0.5 * area.width;
                range.high.x = 0.5 * area.width;
            }
        }
        ranges.push_back(range);
    }
}

void FieldModel::trace_images(const RunConfig& config,
                              const Scenario& scenario,
                              const std::vector<AimedPoint>& points,
                              ImageEffort effort) {
    if (tracers.empty() && !receiver_tracer) {
        for (const ReceiverGrid& grid : flux.grids)
            if (!grid.is_surface)
                tracers.push_back(std::make_unique<ImageTracer>(
                    config, scenario, grid, points, ranges, effort, flux.num_threads));
        if (flux.surfaces.count > 0)
            receiver_tracer = std::make_unique<ReceiverTracer>(
                config, scenario, flux, aim_surfaces, points, ranges, effort);
    }
    for (const auto& tracer : tracers) tracer->trace(points, flux.num_threads, flux.images);
    if (receiver_tracer) receiver_tracer->trace(points, flux.num_threads, flux.images);
    // Clear the images of heliostats whose drives reach no aim point.
    for (size_t i = 0; i < points.size(); ++i)
        if (!can_aim[i]) flux.images[i] = Image();
}

bool FieldModel::has_lattices() const {
    return receiver_tracer != nullptr ||
           std::any_of(tracers.begin(), tracers.end(), [](const auto& tracer) {
               return tracer->has_lattices();
           });
}

double FieldModel::power_std_error() const {
    double square = 0.0;
    for (size_t i = 0; i < flux.images.size(); ++i) {
        const double power = flux.images[i].power();
        const int64_t rays =
            flux.grid(i).is_surface ? receiver_tracer->rays() : tracers[flux.grid_of[i]]->rays();
        square += power * power / static_cast<double>(rays);
    }
    return std::sqrt(square);
}

}  // namespace helioray::aiming
