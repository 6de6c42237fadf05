// SPDX-License-Identifier: MIT
// Two traces of a generated field.
#include "tests/app/output/aimed_field.h"

#include "raytracer/run/trace.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/import/field/build_field.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

namespace helioray::test {

namespace {

RunConfig run_config() {
    RunConfig config;
    config.sun.position = SunAngles{3.5, 0.9};
    config.aim.target = "receiver";
    config.optics.slope_error = GaussianShape{1.5e-3};
    config.tracing.rays_per_heliostat = 20'000;
    config.bitmap.width = 64;
    config.bitmap.height = 32;
    config.device.kind = DeviceConfig::Kind::cpu;
    return config;
}

Scenario field(const std::vector<std::string>& settings, bool two_targets) {
    std::vector<std::string> all{
        "tower={optical_height_m: 60}",
        "receiver={type: cylinder, radius_m: 3, height_m: 7}",
        "heliostat={width_m: 6, height_m: 5, facets: [2, 2], facet_shape: sphere, "
        "pivot_height_m: 3, slant_step_m: 10}",
        "layout={type: radial_stagger, heliostats: 40, min_radius_m: 40}"};
    all.insert(all.end(), settings.begin(), settings.end());
    std::vector<std::string> report;
    Scenario scenario =
        generate_field(read_field_template(std::nullopt, all, FieldUse::generate, report), {})
            .scenario;
    if (two_targets) {
        PlanarTarget plane;
        plane.center = {0.0, 3.5, 50.0};
        plane.normal = {0.0, 1.0, 0.0};
        plane.width = 5.0;
        plane.height = 6.0;
        scenario.targets.insert(scenario.targets.begin(), {"lower", plane});
    }
    return scenario;
}

RunResult traced(const RunConfig& config, const Scenario& scenario) {
    run::Options alone;
    alone.launch = LaunchInfo{};
    alone.num_threads = 1;
    run::PrepareOptions prepared;
    prepared.scenario = std::make_shared<const Scenario>(scenario);
    run::Session session([&] { return run::prepare(config, prepared); }, alone);
    RunResult result = *run::trace(session);
    session.close();
    result.provenance.scenario_file = "plant.h5";
    return result;
}

// The place across the surface that is nearest to a point of the field.
double nearest_x(const Target& target, const Vec3& from) {
    constexpr int kSteps = 200;
    const double width = surface_extent(target)[0];
    const auto distance = [&](double x) {
        return norm(subtract(surface_point(target, x, 0.0), from));
    };
    double best = 0.0;
    for (int i = 0; i <= kSteps; ++i) {
        const double x = (static_cast<double>(i) / kSteps - 0.5) * width;
        if (distance(x) < distance(best)) best = x;
    }
    return best;
}

// Where heliostat i of the field aims in the end.
aiming::AimedPoint moved(const Scenario& scenario, const Aim& aim, size_t i) {
    // Multiples of the golden ratio fill the height evenly.
    constexpr double kGolden = 0.6180339887498949;
    constexpr double kReach = 0.8;
    constexpr size_t kEveryOff = 17;
    const Target& target = scenario.targets[aim.target];
    aiming::AimedPoint point;
    point.aim = aim;
    const double place = std::fmod(kGolden * static_cast<double>(i), 1.0) - 0.5;
    point.y = kReach * place * surface_extent(target)[1];
    point.x = is_flat(target) ? (i % 3 == 0 ? 0.2 : -0.1) * surface_extent(target)[0]
                              : nearest_x(target, scenario.heliostats[aim.heliostat].position);
    point.aim.point = surface_point(target, point.x, point.y);
    point.active = i % kEveryOff != kEveryOff - 1;
    return point;
}

aiming::LimitMap limit_of(const TargetResult& after, double limit) {
    aiming::LimitMap map{after.target.name, std::vector<double>(after.flux.size(), limit), {}};
    for (const double flux : after.flux)
        map.price.push_back(std::max(0.0, flux / after.peak_flux_w_m2 - 0.6) * 5e-3);
    return map;
}

}  // namespace

AimedField aimed_field(const std::vector<std::string>& settings,
                       bool two_targets,
                       bool with_limits) {
    AimedField made{field(settings, two_targets), run_config(), {}};
    const Scenario& scenario = made.scenario;
    aiming::AimingResult& result = made.result;
    if (two_targets) {
        for (size_t i = 0; i < scenario.heliostats.size(); i += 3)
            made.config.aim.heliostats[scenario.heliostats[i].name].target = "lower";
    }
    result.before = traced(made.config, scenario);

    RunConfig after = made.config;
    after.aim.active.emplace();
    for (const Aim& aim : resolve_aims(made.config.aim, scenario)) {
        const aiming::AimedPoint point = moved(scenario, aim, result.points.size());
        const std::string& name = scenario.heliostats[aim.heliostat].name;
        result.points.push_back(point);
        result.heliostats_off += point.active ? 0 : 1;
        if (!point.active) {
            after.aim.heliostats.erase(name);
            continue;
        }
        after.aim.active->push_back(name);
        after.aim.heliostats[name] = {scenario.targets[aim.target].name, point.aim.point, {}};
    }
    result.after = traced(after, scenario);

    double highest = 0.0;
    for (const TargetResult& t : result.before.targets)
        highest = std::max(highest, t.peak_flux_w_m2);
    const double limit = 0.7 * highest;
    for (const TargetResult& t : result.after.targets) {
        result.power += t.power_w;
        result.power_std_error = std::hypot(result.power_std_error, t.power_std_error_w);
        result.peak_flux = std::max(result.peak_flux, t.peak_flux_w_m2);
        if (with_limits) result.limits.push_back(limit_of(t, limit));
    }
    if (with_limits) {
        made.config.aiming.flux_limit = limit;
        result.worst_limit_share = result.peak_flux / limit;
        result.worst_limit_share_std_error = 0.004;
    }
    result.power_bound = 1.004 * result.power;
    result.iterations = 140;
    result.traces = 5;
    constexpr std::array<double, 4> kPowers{0.97, 0.99, 1.002, 1.0};
    constexpr std::array<double, 4> kBounds{1.05, 1.02, 1.006, 1.004};
    constexpr std::array<double, 4> kShares{1.35, 1.08, 1.01, 0.99};
    for (size_t i = 0; i < kPowers.size(); ++i) {
        result.rounds.push_back({static_cast<int>(35 * (i + 1)),
                                 kPowers[i] * result.power,
                                 kBounds[i] * result.power,
                                 kShares[i],
                                 0.6 * static_cast<double>(i + 1)});
    }
    return made;
}

}  // namespace helioray::test
