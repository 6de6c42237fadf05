// SPDX-License-Identifier: MIT
// Places receivers and bodies at their towers.
#include "scenario/import/field/towers.h"

#include "scenario/receivers/add_receivers.h"
#include "scenario/receivers/panels.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

/// Returns the centre of a receiver: on the tower's axis, or before it by the offset.
Vec3 receiver_center(const FieldTemplate& field, const TowerTemplate& tower, double azimuth) {
    const Vec3 on_axis{tower.position[0], tower.position[1], tower.ground + tower.optical_height};
    return add(on_axis, scaled(field.receiver.offset, bearing_direction(azimuth)));
}

/// Returns the name of a tower's receiver.
const std::string& receiver_name(const FieldTemplate& field, const TowerTemplate& tower) {
    return tower.name.empty() ? field.receiver.name : tower.name;
}

/// Returns the receiver of a tower as a target.
Target receiver_target(const FieldTemplate& field, const TowerTemplate& tower) {
    const ReceiverTemplate& receiver = field.receiver;
    const Vec3 center = receiver_center(field, tower, receiver.azimuth);
    const Vec3 normal = tilted_normal(receiver.azimuth, receiver.tilt);
    Target target{receiver_name(field, tower), {}};
    switch (receiver.type) {
        case ReceiverTemplate::Type::plane:
            target.geometry = PlanarTarget{center, normal, receiver.width, receiver.height};
            break;
        case ReceiverTemplate::Type::cylinder: {
            CylindricalTarget cylinder;
            cylinder.center = center;
            cylinder.normal = bearing_direction(receiver.azimuth);
            cylinder.radius = receiver.radius;
            cylinder.height = receiver.height;
            cylinder.opening_angle = 2.0 * std::numbers::pi;
            target.geometry = cylinder;
            break;
        }
        case ReceiverTemplate::Type::disc:
            target.geometry = DiscTarget{center, normal, receiver.radius};
            break;
        default:
            break;
    }
    return target;
}

}  // namespace

std::vector<PlacedReceiver> add_tower_receivers(const FieldTemplate& field,
                                                const TowerTemplate& tower,
                                                Scenario& scenario) {
    std::vector<PlacedReceiver> placed;
    for (const GivenReceiver& given : field.receivers) {
        add_receiver(given.name, given.receiver, scenario);
        placed.push_back({given.name, given.receiver.azimuth});
    }
    if (!placed.empty()) return placed;
    const ReceiverTemplate& receiver = field.receiver;
    const std::string& name = receiver_name(field, tower);
    if (!receiver.several) {
        scenario.targets.push_back(receiver_target(field, tower));
        return {{name, receiver.azimuth}};
    }
    for (size_t i = 0; i < receiver.azimuths.size(); ++i)
        placed.push_back({fmt::format("{}_{}", name, i + 1), receiver.azimuths[i]});
    if (placed.empty()) placed.push_back({name, receiver.azimuth});
    for (const PlacedReceiver& own : placed) {
        ReceiverConfig several = *receiver.several;
        several.azimuth = own.azimuth;
        several.center = receiver_center(field, tower, own.azimuth);
        add_receiver(own.name, several, scenario);
    }
    return placed;
}

const GivenReceiver& nearest_receiver(const std::vector<GivenReceiver>& receivers,
                                      const Vec3& pivot,
                                      const std::optional<Vec3>& aim) {
    // Cosine that all external receivers have, which face every heliostat.
    constexpr double kFacing = 1.0, kEqual = 1e-9;
    const GivenReceiver* best = nullptr;
    double best_facing = 0.0, best_distance = 0.0;
    for (const GivenReceiver& given : receivers) {
        const Vec3 away = subtract(aim.value_or(pivot), given.receiver.center);
        const double distance = norm(away);
        const double facing =
            aim || !given.is_flat || distance == 0.0
                ? kFacing
                : dot(tilted_normal(given.receiver.azimuth, given.receiver.tilt), away) / distance;
        const bool is_better = !best || facing > best_facing + kEqual ||
                               (facing >= best_facing - kEqual && distance < best_distance);
        if (!is_better) continue;
        best = &given;
        best_facing = facing;
        best_distance = distance;
    }
    return *best;
}

Vec3 usual_aim_point(const Scenario& scenario, const std::string& name, const Vec3& pivot) {
    if (const auto receiver = scenario.find_receiver(name))
        return receiver_aim_point(scenario.targets, scenario.receivers[*receiver], pivot);
    return default_aim_point(scenario.targets[*scenario.find_target(name)], pivot);
}

ObstacleConfig tower_body(const TowerTemplate& tower) {
    const std::string name = tower.name.empty() ? "tower" : tower.name;
    const auto& [east, north] = tower.position;
    const Vec3 base{east, north, tower.ground};
    const Vec3 up{0, 0, 1};
    if (tower.top_radius)
        return {name, ConeObstacle{base, up, *tower.radius, *tower.top_radius, *tower.height}};
    if (!tower.section) return {name, CylinderObstacle{base, up, *tower.radius, *tower.height}};
    const auto& [width, depth] = *tower.section;
    return {name,
            BoxObstacle{{east, north, tower.ground + 0.5 * *tower.height},
                        {width, depth, *tower.height},
                        tower.azimuth}};
}

const PlacedReceiver& facing_receiver(const std::vector<PlacedReceiver>& placed,
                                      const TowerTemplate& tower,
                                      const Vec3& pivot) {
    const double bearing = std::atan2(pivot[0] - tower.position[0], pivot[1] - tower.position[1]);
    return *std::max_element(
        placed.begin(), placed.end(), [&](const PlacedReceiver& a, const PlacedReceiver& b) {
            return std::cos(a.azimuth - bearing) < std::cos(b.azimuth - bearing);
        });
}

}  // namespace helioray
