// SPDX-License-Identifier: MIT
// Billboards: panels in one plane.
#include "scenario/receivers/panels.h"
#include "scenario/receivers/shapes.h"

namespace helioray {

ReceiverSurfaces make_billboard(const std::string& name, const ReceiverConfig& config) {
    const Vec3 normal = tilted_normal(config.azimuth, config.tilt);
    const auto [right, up, front] = flat_axes(normal);
    const double width = config.width / static_cast<double>(config.columns);
    const double height = config.height / static_cast<double>(config.rows);
    const auto count = static_cast<size_t>(config.columns * config.rows);
    const auto place = [&, &right_axis = right, &up_axis = up](double across, double along) {
        return add_scaled(add_scaled(config.center, across, right_axis), along, up_axis);
    };
    ReceiverSurfaces made;
    made.aim_point = config.center;
    for (int64_t row = 0; row < config.rows; ++row) {
        for (int64_t column = 0; column < config.columns; ++column) {
            const double across = (static_cast<double>(column) + 0.5) * width - 0.5 * config.width;
            const double along = 0.5 * config.height - (static_cast<double>(row) + 0.5) * height;
            made.targets.push_back({numbered_name(name, "panel", made.targets.size() + 1, count),
                                    PlanarTarget{place(across, along), normal, width, height},
                                    name});
        }
    }
    if (!config.shield_width) return made;
    const double border = *config.shield_width;
    const double across = 0.5 * (config.width + border), along = 0.5 * (config.height + border);
    const auto add_shield = [&](const char* part, const Vec3& center, double w, double h) {
        made.targets.push_back({name + "_shield_" + part,
                                PlanarTarget{center, normal, w, h},
                                name,
                                SurfaceUse::shield});
    };
    // The upper and lower shields reach over the corners.
    add_shield("top", place(0.0, along), config.width + 2.0 * border, border);
    add_shield("bottom", place(0.0, -along), config.width + 2.0 * border, border);
    add_shield("left", place(-across, 0.0), border, config.height);
    add_shield("right", place(across, 0.0), border, config.height);
    return made;
}

}  // namespace helioray
