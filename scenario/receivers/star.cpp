// SPDX-License-Identifier: MIT
// Stars of flat panels.
#include "scenario/receivers/panels.h"
#include "scenario/receivers/shapes.h"

#include <numbers>

namespace helioray {

ReceiverSurfaces make_star(const std::string& name, const ReceiverConfig& config) {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    const int64_t panels = 2 * config.arms;
    const std::vector<Vec3> tips =
        arc_points(config.center, config.radius, config.azimuth, kTurn, panels);
    const std::vector<Vec3> inner =
        arc_points(config.center, config.inner_radius, config.azimuth, kTurn, panels);
    // The middle of the arc, point number `arms`, is a tip.
    const auto corner = [&](int64_t i) {
        return ((i - config.arms) % 2 == 0 ? tips : inner)[static_cast<size_t>(i)];
    };
    const double bottom = config.center[2] - 0.5 * config.height;
    ReceiverSurfaces made;
    for (int64_t i = 0; i < panels; ++i)
        made.targets.push_back(
            {numbered_name(name, "panel", made.targets.size() + 1, static_cast<size_t>(panels)),
             upright_panel(corner(i), corner(i + 1), bottom, bottom + config.height),
             name});
    return made;
}

}  // namespace helioray
