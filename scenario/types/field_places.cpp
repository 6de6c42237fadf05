// SPDX-License-Identifier: MIT
// Checks distances of heliostats from their nearest target.
#include "scenario/types/field_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray {

namespace {

/// Heliostats with one fault.
struct Group {
    size_t count = 0;
    const Heliostat* farthest = nullptr;
    double distance = 0.0;  ///< distance of the farthest heliostat, metres
    double height = 0.0;    ///< height of its target above it, metres

    void add(const Heliostat& heliostat, double its_distance, double its_height) {
        ++count;
        if (farthest && its_distance <= distance) return;
        farthest = &heliostat;
        distance = its_distance;
        height = its_height;
    }
};

std::string length_text(double metres) {
    return metres < 1000.0 ? fmt::format("{:.0f} m", metres)
                           : fmt::format("{:.3g} km", 1e-3 * metres);
}

std::string far_text(const Group& far, size_t total) {
    const bool is_map = far.distance >= kMapDistance;
    return fmt::format(
        "{} of {} heliostats are more than {} from every target, the farthest, '{}', {}: the "
        "largest plants reach 2 km; {}",
        far.count,
        total,
        length_text(kFarthestHeliostat),
        far.farthest->name,
        far.distance >= 1e6 ? fmt::format("{:.0f} km", 1e-3 * far.distance)
                            : length_text(far.distance),
        is_map ? "positions are metres from the origin of the targets, so subtract the tower's "
                 "coordinates from map coordinates (easting and northing)"
               : "check the unit and the origin of the positions, or plan fewer heliostats or more "
                 "towers");
}

std::string flat_text(const Group& flat, size_t total) {
    const std::string height = flat.height > 0.0
                                   ? fmt::format("{} below its target", length_text(flat.height))
                                   : fmt::format("{} above its target", length_text(-flat.height));
    return fmt::format(
        "{} of {} heliostats are farther from their nearest target than {:g} times its height "
        "above "
        "them, the farthest, '{}', {} away and {}: fields of built towers end at 6 to 8 heights, "
        "beyond them blocking, attenuation and spillage take most of the light; raise the target, "
        "or plan fewer heliostats",
        flat.count,
        total,
        kHeightsOfField,
        flat.farthest->name,
        length_text(flat.distance),
        height);
}

}  // namespace

std::vector<std::string> unlikely_places(const Scenario& scenario) {
    std::vector<Vec3> targets;
    for (const Target& target : scenario.targets) targets.push_back(default_aim_point(target));
    if (targets.empty()) return {};
    Group far, flat;
    size_t total = 0;
    for (const Heliostat& heliostat : scenario.heliostats) {
        if (!heliostat.surface) continue;
        ++total;
        const Vec3& at = heliostat.position;
        double distance = std::numeric_limits<double>::infinity();
        double height = 0.0;
        for (const Vec3& target : targets) {
            const double candidate = std::hypot(target[0] - at[0], target[1] - at[1]);
            if (candidate >= distance) continue;
            distance = candidate;
            height = target[2] - at[2];
        }
        if (distance > kFarthestHeliostat) {
            far.add(heliostat, distance, height);
        } else if (distance > kSmallField && distance > kHeightsOfField * height) {
            flat.add(heliostat, distance, height);
        }
    }
    std::vector<std::string> remarks;
    if (far.count > 0) remarks.push_back(far_text(far, total));
    if (flat.count > 0) remarks.push_back(flat_text(flat, total));
    return remarks;
}

}  // namespace helioray
