// SPDX-License-Identifier: MIT
// Traces the field on targets and on enlarged targets.
#include "raytracer/solvers/aiming/traced/trace_field.h"

#include "raytracer/results/light_warnings.h"
#include "raytracer/run/make_job.h"
#include "raytracer/run/trace.h"
#include "raytracer/solvers/aiming/model/receiver_grid.h"
#include "raytracer/solvers/aiming/traced/trace_images.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

namespace helioray::aiming {

namespace {

std::optional<RunResult> trace_on(run::Session& session,
                                  const RunConfig& config,
                                  const Scenario& scenario) {
    const auto job = make_job(config, scenario, session.options().num_threads);
    return run::trace(session, *job);
}

/// Removes the light that arrives on the target itself.
TargetResult remove_target_light(TargetResult map,
                                 const Target& target,
                                 const TargetConfig& extras) {
    const auto [width, height] = surface_extent(map.target);
    for (int64_t row = 0; row < map.height; ++row) {
        for (int64_t column = 0; column < map.width; ++column) {
            const auto p = static_cast<size_t>(row * map.width + column);
            const SurfacePoint at{pixel_centre(column, map.width, width),
                                  -pixel_centre(row, map.height, height)};
            if (!is_lit(target, extras, at)) continue;
            map.flux[p] = map.flux_std_error[p] = 0.0;
            if (!map.flux_noise.empty()) map.flux_noise[p] = 0.0;
        }
    }
    add_shield_statistics(map);
    return map;
}

}  // namespace

const TargetResult* find_map(const LimitMap& limits, const TracedField& traced) {
    const auto& maps = limits.beyond ? traced.shields : traced.run.targets;
    const auto found = std::find_if(maps.begin(), maps.end(), [&](const TargetResult& map) {
        return map.target.name == limits.target;
    });
    return found == maps.end() ? nullptr : &*found;
}

Target with_shield(const Target& target, const BitmapConfig& bitmap, const PixelsBeyond& beyond) {
    const auto [width, height] = surface_extent(target);
    const auto longer = [](double extent, int64_t more, int64_t pixels) {
        return extent * static_cast<double>(pixels + 2 * more) / static_cast<double>(pixels);
    };
    return enlarged_target(target,
                           longer(width, beyond.across, bitmap.width),
                           longer(height, beyond.down, bitmap.height));
}

void add_shield_statistics(TargetResult& map) {
    const auto [width, height] = surface_extent(map.target);
    const double area = width * height / static_cast<double>(map.flux.size());
    double power = 0.0, square = 0.0;
    for (size_t p = 0; p < map.flux.size(); ++p) {
        power += area * map.flux[p];
        square += area * area * map.flux_std_error[p] * map.flux_std_error[p];
    }
    map.power_w = power;
    map.power_std_error_w = std::sqrt(square);
    add_map_statistics(map);
}

std::optional<TracedField> trace_field(run::Session& session,
                                       const RunConfig& config,
                                       const std::vector<AimedPoint>& points,
                                       const std::vector<LimitMap>& limits) {
    const Scenario& scenario = *session.prepared().scenario;
    const RunConfig aimed = with_points(config, scenario, points);
    TracedField traced;
    auto run = trace_on(session, aimed, scenario);
    if (run) traced.run = std::move(*run);
    for (const LimitMap& map : limits) {
        if (!map.beyond) continue;
        Scenario enlarged = scenario;
        Target& target = enlarged.targets[*scenario.find_target(map.target)];
        const Target alone = target;
        target = with_shield(target, config.bitmap, *map.beyond);
        RunConfig on_shield = aimed;
        on_shield.bitmap.width += 2 * map.beyond->across;
        on_shield.bitmap.height += 2 * map.beyond->down;
        TargetConfig extras;
        if (const auto own = on_shield.targets.find(map.target); own != on_shield.targets.end()) {
            extras = own->second;
            own->second.outline.clear();
        }
        const auto wide = trace_on(session, on_shield, enlarged);
        if (!wide) continue;
        if (const TargetResult* found = find_target(*wide, map.target))
            traced.shields.push_back(remove_target_light(*found, alone, extras));
    }
    return session.is_root() ? std::optional(std::move(traced)) : std::nullopt;
}

std::vector<int64_t> of_root(run::Session& session, std::vector<int64_t> numbers) {
    if (!session.is_root()) std::fill(numbers.begin(), numbers.end(), 0);
    // The other ranks wait while rank 0 solves, which may take any time.
    session.environment().wait_for_all("numbers of rank 0", {}, numbers);
    return numbers;
}

bool share_points(run::Session& session, bool trace, std::vector<AimedPoint>& points) {
    constexpr size_t kNumbers = 4;
    std::vector<int64_t> numbers{trace ? 1 : 0};
    for (const AimedPoint& point : points) {
        for (const double metres : point.aim.point)
            numbers.push_back(std::bit_cast<int64_t>(metres));
        numbers.push_back(point.active ? 1 : 0);
    }
    numbers = of_root(session, std::move(numbers));
    for (size_t i = 0; i < points.size(); ++i) {
        const int64_t* own = numbers.data() + 1 + kNumbers * i;
        for (size_t k = 0; k < 3; ++k) points[i].aim.point[k] = std::bit_cast<double>(own[k]);
        points[i].active = own[3] != 0;
    }
    return numbers[0] != 0;
}

void check_light(const RunConfig& config, const RunResult& before, const RunResult& chosen) {
    // Some surfaces of a receiver may be dark.
    for (const ReceiverResult& receiver : receiver_results(before)) {
        const auto is_aimed = [&](const HeliostatResult& heliostat) {
            const TargetResult* target = find_target(before, heliostat.target);
            return target != nullptr && target->target.receiver == receiver.name;
        };
        if (receiver.power_w > 0.0 || power_on_targets(chosen) > 0.0 ||
            std::none_of(before.heliostats.begin(), before.heliostats.end(), is_aimed))
            continue;
        throw InputError(
            Problem{place_of(config, "aim.target"),
                    no_light(receiver.name),
                    "heliostats aim at it, and there is nothing to choose without light",
                    kNoLightAdvice});
    }
    for (const TargetResult& target : before.targets) {
        if (!target.target.receiver.empty()) continue;
        const TargetResult* now = find_target(chosen, target.target.name);
        if (target.power_w > 0.0 || (now != nullptr && now->power_w > 0.0)) continue;
        throw InputError(
            Problem{place_of(config, "aim.target"),
                    no_light(target.target.name),
                    "heliostats aim at it, and there is nothing to choose without light",
                    kNoLightAdvice});
    }
}

}  // namespace helioray::aiming
