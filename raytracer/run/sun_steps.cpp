// SPDX-License-Identifier: MIT
// Sun positions of a series.
#include "raytracer/run/sun_steps.h"

#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/config/section.h"
#include "scenario/files/error.h"
#include "scenario/sun/solar_position.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

LitStep resolved(const SunStep& step, const SunConfig& config, const GeodeticPosition& plant) {
    LitStep lit{step.position, "", 0.0, 0.0, {}, step.dni, nullptr};
    lit.temperature = step.temperature ? step.temperature : config.temperature;
    if (const auto* time = std::get_if<SunTime>(&step.position)) {
        const SolarPosition sun = solar_position(time->iso8601, plant);
        lit.time = time->iso8601;
        lit.azimuth = sun.azimuth;
        lit.elevation = sun.elevation;
    } else {
        const auto& angles = std::get<SunAngles>(step.position);
        const double turn = 2.0 * std::numbers::pi;
        lit.time = angles.iso8601;
        lit.azimuth = angles.azimuth - turn * std::floor(angles.azimuth / turn);
        lit.elevation = angles.elevation;
    }
    lit.direction = direction_to_sun({lit.azimuth, lit.elevation, lit.elevation});
    return lit;
}

/// Returns the reason why a step is dark, or an empty text.
std::string darkness(const LitStep& step) {
    if (step.elevation <= 0.0)
        return fmt::format("the sun stands {:.2f} degrees below the horizon",
                           -step.elevation / kDegree);
    return step.dni > 0.0 ? "" : "the irradiance is 0";
}

}  // namespace

LitSteps lit_steps(const SunConfig& config, const GeodeticPosition& plant) {
    LitSteps found;
    std::vector<Problem> problems;
    for (const SunStep& step : config.series->steps) {
        LitStep lit = resolved(step, config, plant);
        if (step.dni_is_missing && lit.elevation > 0.0) {
            problems.push_back(missing_dni(step));
            continue;
        }
        const std::string dark = darkness(lit);
        if (dark.empty()) {
            found.steps.push_back(std::move(lit));
            continue;
        }
        const std::string name = lit.time.empty() ? step.where : lit.time;
        found.left_out.push_back(name + ": " + dark);
        if (config.series->leave_out_dark) continue;
        problems.push_back({step.where,
                            lit.time.empty() ? dark : found.left_out.back(),
                            "nothing can be traced at night",
                            "check the time and its offset from UTC, or give a range of times, "
                            "which leaves out the night"});
    }
    if (problems.empty() && found.steps.empty()) {
        problems.push_back({config.series->steps.front().where,
                            fmt::format("none of the {} steps has light", found.left_out.size()),
                            "the first: " + found.left_out.front(),
                            "check the times and their offset from UTC"});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    return found;
}

std::string label_of(const LitStep& step) {
    if (!step.time.empty()) return step.time;
    return fmt::format("azimuth {:.2f}, elevation {:.2f} degrees",
                       step.azimuth / kDegree,
                       step.elevation / kDegree);
}

SeriesStep step_facts(const LitStep& step, double seconds) {
    SeriesStep facts;
    facts.time = step.time;
    facts.azimuth_deg = step.azimuth / kDegree;
    facts.elevation_deg = step.elevation / kDegree;
    facts.dni_w_m2 = step.dni;
    facts.temperature_c = step.temperature;
    facts.trace_seconds = seconds;
    return facts;
}

RunConfig config_of_step(const RunConfig& config, const LitStep& step) {
    RunConfig result = config;
    result.sun.series.reset();
    result.sun.position = step.position;
    result.sun.dni = step.dni;
    result.sun.temperature = step.temperature;
    if (step.aim) result.aim = *step.aim;
    return result;
}

void add_idle_heliostats(RunResult& result, const RunConfig& step, const Scenario& scenario) {
    AimConfig all = step.aim;
    for (auto& [name, aim] : all.heliostats) aim.active = true;
    const size_t pixels = result.heliostats.empty() ? 0 : result.heliostats.front().flux.size();
    std::vector<HeliostatResult> complete;
    auto known = result.heliostats.begin();
    for (const Aim& aim : resolve_aims(all, scenario, step.tracing.model)) {
        const Heliostat& heliostat = scenario.heliostats[aim.heliostat];
        if (known != result.heliostats.end() && known->name == heliostat.name) {
            complete.push_back(std::move(*known++));
            continue;
        }
        HeliostatResult idle;
        idle.name = heliostat.name;
        idle.target = scenario.targets[aim.target].name;
        idle.aim_point = aim.point;
        idle.mirror_outline = mirror_outline(*heliostat.surface);
        idle.flux.assign(pixels, 0.0F);
        complete.push_back(std::move(idle));
    }
    result.heliostats = std::move(complete);
}

}  // namespace helioray
