// SPDX-License-Identifier: MIT
// Aim points to begin with.
#include "raytracer/aiming/start.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace helioray::aiming {

std::vector<AimedPoint> configured_points(const RunConfig& config, const Scenario& scenario) {
    std::vector<AimedPoint> points;
    for (const Aim& one : resolve_aims(config.aim, scenario)) {
        AimedPoint point;
        point.aim = one;
        const Target& target = scenario.targets[one.target];
        if (!one.motor_positions)
            point.aim.point =
                default_aim_point(target, scenario.heliostats[one.heliostat].position);
        const SurfacePoint at = unrolled(target, point.aim.point);
        point.x = at.x;
        point.y = at.y;
        points.push_back(point);
    }
    return points;
}

void begin_from(const StepBefore& before,
                const FluxModel& model,
                std::vector<AimedPoint>& points,
                std::vector<Range2>& ranges) {
    std::map<size_t, const AimedPoint*> known;
    for (const AimedPoint& point : before.points) known[point.aim.heliostat] = &point;
    for (size_t i = 0; i < points.size(); ++i) {
        AimedPoint& point = points[i];
        const auto found = known.find(point.aim.heliostat);
        if (found == known.end() || point.aim.motor_positions ||
            found->second->aim.target != point.aim.target)
            continue;
        point = *found->second;
        if (!before.most_move) continue;
        // A way of both coordinates is as long as the diagonal.
        const double most = *before.most_move / (model.grid(i).free_x ? std::sqrt(2.0) : 1.0);
        const auto narrow = [&](double& low, double& high, double at) {
            const double from = std::clamp(at - most, low, high);
            high = std::clamp(at + most, low, high);
            low = from;
        };
        narrow(ranges[i].low.x, ranges[i].high.x, point.x);
        narrow(ranges[i].low.y, ranges[i].high.y, point.y);
    }
    // A field without light cannot be traced.
    if (std::none_of(points.begin(), points.end(), [](const auto& p) { return p.active; }))
        points.front().active = true;
}

std::vector<double> cell_prices(const std::vector<LimitMap>& limits,
                                const FluxModel& model,
                                const Scenario& scenario,
                                const BitmapConfig& bitmap) {
    std::vector<double> prices(model.num_cells, 0.0);
    for (const ReceiverGrid& grid : model.grids) {
        for (const LimitMap& map : limits) {
            if (map.target != scenario.targets[grid.target].name) continue;
            for (size_t p = 0; p < map.price.size(); ++p) {
                const auto pixel = static_cast<int64_t>(p);
                const size_t cell =
                    grid.cell_of_pixel(pixel % bitmap.width, pixel / bitmap.width, bitmap);
                prices[grid.first_cell + cell] += map.price[p] / grid.cell_area();
            }
        }
    }
    return prices;
}

}  // namespace helioray::aiming
