// SPDX-License-Identifier: MIT
// External cylinders.
#include "scenario/receivers/panels.h"
#include "scenario/receivers/shapes.h"

namespace helioray {

ReceiverSurfaces make_cylinder(const std::string& name, const ReceiverConfig& config) {
    const auto count = static_cast<size_t>(config.panels);
    const double arc = panel_arc(config);
    CylindricalTarget sector;
    sector.center = config.center;
    sector.radius = config.radius;
    sector.height = config.height;
    sector.opening_angle = arc / static_cast<double>(config.panels);
    ReceiverSurfaces made;
    for (size_t i = 0; i < count; ++i) {
        const double turn = 0.5 - (static_cast<double>(i) + 0.5) / static_cast<double>(count);
        sector.normal = bearing_direction(config.azimuth + turn * arc);
        made.targets.push_back({numbered_name(name, "panel", i + 1, count), sector, name});
    }
    if (!config.shield_height) return made;
    sector.opening_angle = arc;
    sector.normal = bearing_direction(config.azimuth);
    sector.height = *config.shield_height;
    const double distance = 0.5 * (config.height + *config.shield_height);
    sector.center[2] = config.center[2] + distance;
    made.targets.push_back({name + "_shield_top", sector, name, SurfaceUse::shield});
    sector.center[2] = config.center[2] - distance;
    made.targets.push_back({name + "_shield_bottom", sector, name, SurfaceUse::shield});
    return made;
}

}  // namespace helioray
