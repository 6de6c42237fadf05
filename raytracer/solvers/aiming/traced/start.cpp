// SPDX-License-Identifier: MIT
// Determines the initial aim points.
#include "raytracer/solvers/aiming/traced/start.h"

#include "kernels/host/parallel_for.h"
#include "raytracer/solvers/aiming/model/aim_surface.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/kinematics/alignment.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace helioray::aiming {

namespace {

AimedPoint aimed_point(const Aim& aim, const RunConfig& config, const Scenario& scenario) {
    AimedPoint point;
    point.aim = aim;
    point.receiver = find_aimed_receiver(config, scenario, aim.heliostat);
    const SurfacePoint at = unrolled(aim_surface(scenario, point), aim.point);
    point.x = at.x;
    point.y = at.y;
    return point;
}

}  // namespace

std::optional<size_t> find_aimed_receiver(const RunConfig& config,
                                          const Scenario& scenario,
                                          size_t heliostat) {
    const auto own = config.aim.heliostats.find(scenario.heliostats[heliostat].name);
    const bool has_own = own != config.aim.heliostats.end() && own->second.target;
    const std::optional<std::string>& name = has_own ? own->second.target : config.aim.target;
    return name && !scenario.find_target(*name) ? scenario.find_receiver(*name) : std::nullopt;
}

std::vector<AimedPoint> configured_points(const RunConfig& config, const Scenario& scenario) {
    std::vector<AimedPoint> points;
    for (Aim& aim : resolve_aims(config.aim, scenario)) {
        AimedPoint point = aimed_point(aim, config, scenario);
        if (!aim.motor_positions) {
            aim.point = usual_aim_point(scenario, point);
            point = aimed_point(aim, config, scenario);
        }
        points.push_back(point);
    }
    return points;
}

std::optional<StepBefore> points_of_file(const RunConfig& config, const Scenario& scenario) {
    if (!config.aim.file || config.aiming.min_move == 0.0 ||
        config.aiming.strategy == AimingConfig::Strategy::center)
        return std::nullopt;
    StepBefore before;
    for (const Aim& aim : resolve_aims(config.aim, scenario))
        before.points.push_back(aimed_point(aim, config, scenario));
    return before;
}

std::optional<std::vector<AimedPoint>> plan_of_file(const RunConfig& config,
                                                    const Scenario& scenario,
                                                    const std::vector<AimedPoint>& points) {
    if (!config.aim.file) return std::nullopt;
    std::map<size_t, Aim> known;
    for (const Aim& aim : resolve_aims(config.aim, scenario)) known[aim.heliostat] = aim;
    std::vector<AimedPoint> plan = points;
    bool any = false;
    for (AimedPoint& point : plan) {
        const auto found = known.find(point.aim.heliostat);
        point.active = found != known.end();
        if (!point.active || point.aim.motor_positions) continue;
        if (found->second.target != point.aim.target) return std::nullopt;
        point = aimed_point(found->second, config, scenario);
        any = true;
    }
    return any ? std::optional(std::move(plan)) : std::nullopt;
}

namespace {

// Number of aim points tried along each free coordinate. Joint angles are nearly linear in the aim
// point, so the points between two reachable ones are also reachable.
constexpr int kTried = 17;

/// Lattice of aim points in a rectangle, row by row; a single column if the rectangle has no width.
struct Lattice {
    Range2 range;
    int across = 1;
    int up = kTried;

    Lattice(const Range2& all, int tried)
        : range(all), across(all.low.x < all.high.x ? tried : 1), up(tried) {}
    size_t place(int column, int row) const {
        return static_cast<size_t>(row) * static_cast<size_t>(across) + static_cast<size_t>(column);
    }
    SurfacePoint at(int column, int row) const {
        const auto share = [](int i, int count) {
            return count > 1 ? static_cast<double>(i) / (count - 1) : 0.0;
        };
        return {std::lerp(range.low.x, range.high.x, share(column, across)),
                std::lerp(range.low.y, range.high.y, share(row, up))};
    }
};

/// Returns the largest rectangle of lattice points that are all good, or nullopt if there is none.
std::optional<Range2> find_largest_good(const Lattice& lattice, const std::vector<uint8_t>& good) {
    std::optional<Range2> best;
    int most = 0;
    for (int left = 0; left < lattice.across; ++left) {
        // Flags the rows in which all points from the left column on are good.
        std::vector<uint8_t> so_far(static_cast<size_t>(lattice.up), 1);
        for (int right = left; right < lattice.across; ++right) {
            int run = 0;
            for (int row = 0; row < lattice.up; ++row) {
                uint8_t& all = so_far[static_cast<size_t>(row)];
                all = all & good[lattice.place(right, row)];
                run = all ? run + 1 : 0;
                if (run * (right - left + 1) <= most) continue;
                most = run * (right - left + 1);
                best = Range2{lattice.at(left, row - run + 1), lattice.at(right, row)};
            }
        }
    }
    return best;
}

/// Returns for each lattice point of a heliostat whether its drives can reach it.
std::vector<uint8_t> find_reachable(const Scenario& scenario,
                                    const AimedPoint& point,
                                    const Lattice& lattice,
                                    const Vec3& incident) {
    const Target target = aim_surface(scenario, point);
    std::vector<Vec3> aims;
    for (int row = 0; row < lattice.up; ++row) {
        for (int column = 0; column < lattice.across; ++column) {
            const SurfacePoint p = on_surface(target, lattice.at(column, row));
            aims.push_back(surface_point(target, p.x, p.y));
        }
    }
    const std::vector<size_t> heliostats(aims.size(), point.aim.heliostat);
    const Alignment alignment =
        align_to_aim_points(kinematics_records(scenario, heliostats), {&incident, 1}, aims, 1);
    std::vector<uint8_t> taken;
    for (const AlignedMirror& mirror : alignment.mirrors)
        taken.push_back(mirror.is_in_reach() ? 1 : 0);
    return taken;
}

bool is_all(const std::vector<uint8_t>& good) {
    return std::all_of(good.begin(), good.end(), [](uint8_t flag) { return flag != 0; });
}

}  // namespace

std::vector<uint8_t> keep_in_reach(const RunConfig& config,
                                   const Scenario& scenario,
                                   const FluxModel& model,
                                   const std::vector<AimedPoint>& points,
                                   std::vector<Range2>& ranges) {
    std::vector<uint8_t> can_aim(points.size(), 1);
    const Vec3 incident = scaled(-1.0, direction_to_sun(config.sun, scenario.position));
    parallel_shares(points.size(), 16, model.num_threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            if (points[i].aim.motor_positions) continue;
            // If all corners are within reach, so is everything between them.
            if (is_all(find_reachable(scenario, points[i], {ranges[i], 2}, incident))) continue;
            const Lattice lattice(ranges[i], kTried);
            const auto good =
                find_largest_good(lattice, find_reachable(scenario, points[i], lattice, incident));
            if (good) ranges[i] = *good;
            can_aim[i] = good ? 1 : 0;
        }
    });
    return can_aim;
}

void begin_from(const StepBefore& before,
                const FluxModel& model,
                std::vector<AimedPoint>& points,
                std::vector<Range2>& ranges,
                std::vector<uint8_t>& can_aim) {
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
        // A move along both coordinates is as long as the diagonal.
        const double most = *before.most_move / (model.area(i).free_x ? std::sqrt(2.0) : 1.0);
        const auto narrow = [&](double& low, double& high, double at) {
            if (at + most < low || at - most > high) can_aim[i] = 0;
            const double from = std::clamp(at - most, low, high);
            high = std::clamp(at + most, low, high);
            low = from;
        };
        narrow(ranges[i].low.x, ranges[i].high.x, point.x);
        narrow(ranges[i].low.y, ranges[i].high.y, point.y);
    }
    // Keep one heliostat on, because a field without light cannot be traced.
    if (std::none_of(points.begin(), points.end(), [](const auto& p) { return p.active; }))
        points.front().active = true;
}

HeldAims held_aims(const RunConfig& config,
                   const StepBefore& before,
                   const std::vector<AimedPoint>& points,
                   const std::vector<Range2>& ranges,
                   const std::vector<uint8_t>& can_aim) {
    HeldAims held{config.aiming.min_move, {}};
    if (held.least_move == 0.0) return held;
    std::set<std::pair<size_t, size_t>> on;
    for (const AimedPoint& known : before.points)
        if (known.active) on.emplace(known.aim.heliostat, known.aim.target);
    for (size_t i = 0; i < points.size(); ++i) {
        const AimedPoint& point = points[i];
        const SurfacePoint here{point.x, point.y};
        const bool is_held = !point.aim.motor_positions && can_aim[i] != 0 &&
                             ranges[i].contains(here) &&
                             on.contains({point.aim.heliostat, point.aim.target});
        held.points.push_back(is_held ? std::optional(here) : std::nullopt);
    }
    return held;
}

std::vector<double> cell_prices(const std::vector<LimitMap>& limits,
                                const FluxModel& model,
                                const Scenario& scenario,
                                const BitmapConfig& bitmap) {
    std::vector<double> prices(model.num_cells, 0.0);
    for (const ReceiverGrid& grid : model.grids) {
        for (const LimitMap& map : limits) {
            if (map.target != scenario.targets[grid.target].name) continue;
            const PixelsBeyond beyond = map.beyond.value_or(PixelsBeyond{});
            const int64_t columns = map.columns(bitmap);
            for (size_t p = 0; p < map.price.size(); ++p) {
                const auto pixel = static_cast<int64_t>(p);
                const auto cell = grid.cell_of_pixel(
                    pixel % columns - beyond.across, pixel / columns - beyond.down, bitmap);
                if (cell) prices[grid.first_cell + *cell] += map.price[p] / grid.cell_area();
            }
        }
    }
    return prices;
}

}  // namespace helioray::aiming
