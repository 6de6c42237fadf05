// SPDX-License-Identifier: MIT
// Polygons of flat panels.
#include "scenario/receivers/panels.h"
#include "scenario/receivers/shapes.h"

#include <cmath>

namespace helioray {

ReceiverSurfaces make_polygon(const std::string& name, const ReceiverConfig& config) {
    const auto count = static_cast<size_t>(config.panels);
    const double arc = panel_arc(config);
    const double half = 0.5 * arc / static_cast<double>(config.panels);
    const double radius = config.radius_of == ReceiverConfig::RadiusOf::midpoints
                              ? config.radius / std::cos(half)
                              : config.radius;
    const std::vector<Vec3> corners =
        arc_points(config.center, radius, config.azimuth, arc, config.panels);
    const double bottom = config.center[2] - 0.5 * config.height;
    const double top = config.center[2] + 0.5 * config.height;
    ReceiverSurfaces made;
    const auto add_ring = [&](const char* part, SurfaceUse use, double low, double high) {
        for (size_t i = 0; i < count; ++i)
            made.targets.push_back({numbered_name(name, part, i + 1, count),
                                    upright_panel(corners[i], corners[i + 1], low, high),
                                    name,
                                    use});
    };
    add_ring("panel", SurfaceUse::absorber, bottom, top);
    if (config.shield_height) {
        add_ring("shield_top", SurfaceUse::shield, top, top + *config.shield_height);
        add_ring("shield_bottom", SurfaceUse::shield, bottom - *config.shield_height, bottom);
    }
    return made;
}

}  // namespace helioray
