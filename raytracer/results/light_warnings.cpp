// SPDX-License-Identifier: MIT
// Detects targets without light from the numbers of results and from the geometry of plants.
#include "raytracer/results/light_warnings.h"

#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace helioray {

const char* const kNoLightAdvice =
    "check which way its front faces, the sun and its clouds, and what stands between";

std::string no_light(const std::string& target) {
    return fmt::format("no light reaches target '{}'", target);
}

void LightCount::add(bool is_lit, const std::string& label) {
    ++count_;
    if (is_lit) return;
    if (dark_ == 0) first_dark_ = label;
    ++dark_;
}

std::vector<std::string> LightCount::warning(const std::string& target,
                                             const std::string& cases) const {
    if (dark_ == 0) return {};
    std::string where;
    if (dark_ < count_) {
        where = fmt::format(" in {} of {} {}, the first is {}", dark_, count_, cases, first_dark_);
    } else if (count_ > 1) {
        where = fmt::format(" in any of {} {}", count_, cases);
    }
    return {fmt::format("{}{}, although heliostats aim at it in daylight; {}",
                        no_light(target),
                        where,
                        kNoLightAdvice)};
}

namespace {

/// Sunlight on the heliostats that aim at a target or receiver, and the power that reaches it.
struct Light {
    double sunlight = 0.0;
    double power = 0.0;
    bool has_mirror = false;  ///< one of its surfaces reflects light to surfaces of any receiver

    void add(SurfaceUse use, double power_on_surface) {
        if (use == SurfaceUse::absorber) power += power_on_surface;
        has_mirror = has_mirror || use == SurfaceUse::mirror;
    }
};

/// Returns whether light reaches one of several targets and receivers, or another one by way of
/// its mirror.
bool is_lit(const Light& light, const std::map<std::string, Light>& all) {
    return light.power > 0.0 ||
           (light.has_mirror &&
            std::ranges::any_of(all, [](const auto& other) { return other.second.power > 0.0; }));
}

}  // namespace

std::string light_name(const std::string& target, const std::string& receiver) {
    return receiver.empty() ? target : receiver;
}

std::vector<std::string> light_warnings(const RunResult& result) {
    std::map<std::string, double> sunlight;
    for (const HeliostatResult& heliostat : result.heliostats)
        sunlight[heliostat.target] += heliostat.energy.solar_power;
    std::map<std::string, Light> lights;
    for (const TargetResult& target : result.targets) {
        Light& light = lights[light_name(target.target.name, target.target.receiver)];
        light.sunlight += sunlight[target.target.name];
        light.add(target.target.use, target.power_w);
    }
    std::vector<std::string> warnings;
    for (const auto& [name, light] : lights) {
        if (!(light.sunlight > 0.0)) continue;
        LightCount count;
        count.add(is_lit(light, lights));
        for (std::string& warning : count.warning(name, "")) warnings.push_back(std::move(warning));
    }
    return warnings;
}

std::vector<std::string> light_warnings(const SeriesResult& series) {
    const std::size_t num_heliostats = series.heliostats.size();
    std::map<std::string, Light> lights;
    std::map<std::string, Light*> light_of_target;
    for (const SeriesTarget& target : series.targets)
        light_of_target[target.name] = &lights[light_name(target.name, target.receiver)];
    // Names are compared once for each heliostat, because a series may have 1e8 energies.
    std::vector<Light*> aimed;
    for (const std::string& target : series.heliostat_targets) {
        const auto found = light_of_target.find(target);
        aimed.push_back(found == light_of_target.end() ? nullptr : found->second);
    }
    std::map<std::string, LightCount> counts;
    for (std::size_t step = 0; step < series.steps.size(); ++step) {
        for (auto& [name, light] : lights) light = {};
        for (std::size_t i = 0; i < num_heliostats; ++i)
            if (aimed[i] != nullptr)
                aimed[i]->sunlight += series.energy[step * num_heliostats + i].solar_power;
        for (const SeriesTarget& target : series.targets)
            light_of_target[target.name]->add(target.use, target.power_w[step]);
        for (const auto& [name, light] : lights)
            if (light.sunlight > 0.0)
                counts[name].add(is_lit(light, lights), step_label(series, step));
    }
    std::vector<std::string> warnings;
    for (const auto& [name, count] : counts)
        for (std::string& warning : count.warning(name, "positions of the sun"))
            warnings.push_back(std::move(warning));
    return warnings;
}

std::vector<std::string> result_warnings(const RunResult& result) {
    std::vector<std::string> warnings = light_warnings(result);
    if (auto warning = accuracy_warning(result)) warnings.push_back(std::move(*warning));
    return warnings;
}

namespace {

/// Centre and normal of the front of a flat target.
struct Front {
    Vec3 center{};
    Vec3 normal{};
};

std::optional<Front> find_front(const Target& target) {
    return std::visit(
        [](const auto& shape) -> std::optional<Front> {
            if constexpr (std::decay_t<decltype(shape)>::kIsFlat) {
                return Front{shape.center, shape.normal};
            } else {
                return std::nullopt;
            }
        },
        target.geometry);
}

std::string direction_text(const Vec3& direction) {
    constexpr double kDegrees = 180.0 / std::numbers::pi;
    const double horizontal = std::hypot(direction[0], direction[1]);
    const double elevation = kDegrees * std::atan2(direction[2], horizontal);
    if (horizontal < 1e-6 * std::abs(direction[2])) return elevation > 0.0 ? "up" : "down";
    const double azimuth = kDegrees * std::atan2(direction[0], direction[1]);
    // Adding 0 avoids the text "-0".
    return fmt::format("azimuth {:.0f} degrees, elevation {:.0f} degrees",
                       azimuth < -0.5 ? azimuth + 360.0 : std::max(azimuth, 0.0),
                       std::round(elevation) + 0.0);
}

}  // namespace

std::vector<std::string> front_warnings(const Scenario& scenario, const std::vector<Aim>& aims) {
    struct Count {
        std::size_t aimed = 0;
        std::size_t behind = 0;
    };
    // Light may come to a target's front by way of a mirror.
    if (std::ranges::find(scenario.targets, SurfaceUse::mirror, &Target::use) !=
        scenario.targets.end())
        return {};
    std::map<std::size_t, Count> counts;
    for (const Aim& aim : aims) {
        const std::optional<Front> front = find_front(scenario.targets[aim.target]);
        if (!front) continue;
        const Vec3& position = scenario.heliostats[aim.heliostat].position;
        Count& count = counts[aim.target];
        ++count.aimed;
        if (dot(subtract(position, front->center), front->normal) < 0.0) ++count.behind;
    }
    std::vector<std::string> warnings;
    for (const auto& [index, count] : counts) {
        if (count.behind < count.aimed) continue;
        const Target& target = scenario.targets[index];
        warnings.push_back(fmt::format(
            "{}: all heliostats that aim at it ({}) are located behind its front, which faces {}; "
            "check which way its front faces",
            no_light(target.name),
            count.aimed,
            direction_text(find_front(target)->normal)));
    }
    return warnings;
}

}  // namespace helioray
