// SPDX-License-Identifier: MIT
// Selects aim points and targets of heliostats, and computes the direction to the sun.
#include "raytracer/tracing/geometry/aiming.h"

#include "scenario/files/error.h"
#include "scenario/sun/solar_position.h"
#include "scenario/types/receivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace helioray {

namespace {

std::vector<size_t> active_heliostats(const AimConfig& config, const Scenario& scenario) {
    std::vector<size_t> active;
    const auto is_off = [&](size_t index) {
        const auto own = config.heliostats.find(scenario.heliostats[index].name);
        return own != config.heliostats.end() && !own->second.active;
    };
    if (!config.active) {
        for (size_t i = 0; i < scenario.heliostats.size(); ++i)
            if (!is_off(i)) active.push_back(i);
        return active;
    }
    for (const std::string& name : *config.active) {
        const auto index = scenario.find_heliostat(name);
        if (!index) {
            throw InputError(Problem{
                "aim.active", fmt::format("the scenario has no heliostat '{}'", name), "", ""});
        }
        if (!is_off(*index)) active.push_back(*index);
    }
    std::sort(active.begin(), active.end());
    active.erase(std::unique(active.begin(), active.end()), active.end());
    return active;
}

Vec3 compute_direction(const SunAngles& angles, const GeodeticPosition&) {
    return {std::sin(angles.azimuth) * std::cos(angles.elevation),
            std::cos(angles.azimuth) * std::cos(angles.elevation),
            std::sin(angles.elevation)};
}

Vec3 compute_direction(const SunIncidentDirection& incident, const GeodeticPosition&) {
    const Vec3& d = incident.direction;
    const double length = std::hypot(d[0], d[1], d[2]);
    return {-d[0] / length, -d[1] / length, -d[2] / length};
}

Vec3 compute_direction(const SunTime& at, const GeodeticPosition& plant) {
    const std::string& time = at.iso8601;
    const SolarPosition position = solar_position(time, plant);
    if (position.elevation <= 0.0) {
        throw InputError(Problem{
            "sun.time",
            fmt::format("at {} the sun stands {:.2f} degrees below the horizon of the plant",
                        time,
                        -position.elevation * 180.0 / std::numbers::pi),
            "nothing can be traced at night",
            "check the time and its offset from UTC"});
    }
    return direction_to_sun(position);
}

}  // namespace

namespace {

/// Finds targets by name for single heliostats. A receiver's name stands for one of its surfaces.
class TargetFinder {
  public:
    explicit TargetFinder(const Scenario& scenario) : scenario_(scenario) {}

    /// A surface, with the point to aim at if that does not follow from the surface.
    struct Found {
        size_t target = 0;
        std::optional<Vec3> point;
    };

    /// Returns the target for a heliostat at `from`. For a receiver, this is the absorbing surface
    /// that faces the heliostat, or with an aim point the first absorbing surface.
    std::optional<Found> find(const std::string& name, const Vec3& from) {
        if (const auto target = scenario_.find_target(name)) return Found{*target, std::nullopt};
        const auto receiver = scenario_.find_receiver(name);
        if (!receiver) return std::nullopt;
        const std::vector<size_t>& absorbers = find_absorbers(name);
        if (absorbers.empty()) return std::nullopt;
        const auto& point = scenario_.receivers[*receiver].aim_point;
        if (point) return Found{absorbers.front(), point};
        return Found{*facing_surface(scenario_.targets, absorbers, from), std::nullopt};
    }

  private:
    /// Returns the absorbing surfaces of a receiver; they are found once, as thousands of
    /// heliostats aim at it.
    const std::vector<size_t>& find_absorbers(const std::string& receiver) {
        const auto [known, is_new] = absorbers_.try_emplace(receiver);
        if (is_new)
            for (const size_t index : find_surfaces(scenario_.targets, receiver))
                if (scenario_.targets[index].use == SurfaceUse::absorber)
                    known->second.push_back(index);
        return known->second;
    }

    const Scenario& scenario_;
    std::map<std::string, std::vector<size_t>> absorbers_;
};

}  // namespace

std::vector<Aim> resolve_aims(const AimConfig& config, const Scenario& scenario, Model model) {
    std::vector<Aim> aims;
    TargetFinder targets(scenario);
    for (const size_t index : active_heliostats(config, scenario)) {
        const std::string& name = scenario.heliostats[index].name;
        const auto own = config.heliostats.find(name);
        const HeliostatAim settings = own == config.heliostats.end() ? HeliostatAim{} : own->second;

        const auto& target_name = settings.target ? settings.target : config.target;
        if (!target_name) {
            throw InputError(Problem{"aim",
                                     fmt::format("heliostat '{}' has no target", name),
                                     "",
                                     "set aim.target or aim.heliostats." + name + ".target"});
        }
        const auto found = targets.find(*target_name, scenario.heliostats[index].position);
        if (!found) {
            throw InputError(Problem{
                "aim", fmt::format("the scenario has no target '{}'", *target_name), "", ""});
        }
        const Target& target = scenario.targets[found->target];
        Aim aim;
        aim.heliostat = index;
        aim.target = found->target;
        aim.motor_positions = settings.motor_positions;
        // The field-wide aim point applies to the field-wide target only.
        const bool has_common_target = !config.target || *target_name == *config.target;
        if (settings.point) {
            aim.point = *settings.point;
        } else if (config.point && has_common_target) {
            aim.point = *config.point;
        } else if (found->point) {
            aim.point = *found->point;
        } else if (model == Model::artist) {
            aim.point = default_aim_point(target);
        } else {
            aim.point = default_aim_point(target, scenario.heliostats[index].position);
        }
        aims.push_back(aim);
    }
    if (aims.empty()) {
        throw InputError(Problem{"aim",
                                 "no heliostat is active",
                                 "there is nothing to trace",
                                 "activate one in aim.active, aim.heliostats or the tables that "
                                 "aim.file and state.file name"});
    }
    return aims;
}

Vec3 direction_to_sun(const SunConfig& config, const GeodeticPosition& plant) {
    if (config.series) {
        throw InputError(Problem{"sun",
                                 "the configuration has several positions of the sun",
                                 "a single run has one",
                                 "trace it with 'helioray raytrace', or keep one position"});
    }
    return std::visit([&](const auto& position) { return compute_direction(position, plant); },
                      config.position);
}

const SunShape& effective_sun_shape(const SunConfig& config, const Scenario& scenario) {
    if (config.shape) return *config.shape;
    if (scenario.light_sources.empty()) {
        throw InputError(
            Problem{"sun.shape",
                    "the scenario has no light source and the configuration no sun shape",
                    "",
                    "add for example 'shape: {type: pillbox, half_angle_mrad: 4.65}' below sun"});
    }
    return scenario.light_sources.front().shape;
}

}  // namespace helioray
