// SPDX-License-Identifier: MIT
// Cavities: wall panels behind an aperture.
#include "scenario/receivers/panels.h"
#include "scenario/receivers/shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

/// Returns a horizontal polygon that is lit from above, or from below if it `faces_down`.
Target horizontal_polygon(const std::string& name,
                          const std::string& receiver,
                          const std::vector<Vec3>& corners,
                          double height,
                          bool faces_down) {
    const Vec3 normal{0.0, 0.0, faces_down ? -1.0 : 1.0};
    const auto [right, up, front] = flat_axes(normal);
    std::array<double, 2> low{}, high{};
    Outline outline;
    for (const Vec3& corner : corners) {
        outline.push_back({dot(corner, right), dot(corner, up)});
        for (size_t axis = 0; axis < 2; ++axis) {
            const double value = outline.back()[axis];
            low[axis] = outline.size() == 1 ? value : std::min(low[axis], value);
            high[axis] = outline.size() == 1 ? value : std::max(high[axis], value);
        }
    }
    const std::array<double, 2> middle{0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])};
    for (auto& corner : outline)
        for (size_t axis = 0; axis < 2; ++axis) corner[axis] -= middle[axis];
    make_convex(outline);
    Vec3 center = add(scaled(middle[0], right), scaled(middle[1], up));
    center[2] = height;
    return {name,
            PlanarTarget{center, normal, high[0] - low[0], high[1] - low[1]},
            receiver,
            SurfaceUse::absorber,
            outline};
}

}  // namespace

ReceiverSurfaces make_cavity(const std::string& name, const ReceiverConfig& config) {
    const auto count = static_cast<size_t>(config.panels);
    const double arc = panel_arc(config);
    const Vec3 facing = bearing_direction(config.azimuth);
    const double opening = config.height - config.lip_top - config.lip_bottom;
    const double sill = config.center[2] - 0.5 * opening;  // lower edge of the aperture
    const double bottom = sill - config.lip_bottom;
    const double top = bottom + config.height;

    // The aperture's plane joins the two ends of the wall.
    const Vec3 axis = add_scaled(config.center, config.radius * std::cos(0.5 * arc), facing);
    // Seen from inside, the wall goes from the left to the right against its order from outside.
    std::vector<Vec3> corners =
        arc_points(axis, config.radius, config.azimuth + std::numbers::pi, arc, config.panels);
    std::reverse(corners.begin(), corners.end());

    ReceiverSurfaces made;
    made.aim_point = config.center;
    for (size_t i = 0; i < count; ++i)
        made.targets.push_back({numbered_name(name, "panel", i + 1, count),
                                upright_panel(corners[i], corners[i + 1], bottom, top),
                                name});
    made.targets.push_back(horizontal_polygon(name + "_floor", name, corners, bottom, false));
    made.targets.push_back(horizontal_polygon(name + "_ceiling", name, corners, top, true));

    const Vec3 across = subtract(corners.back(), corners.front());
    const double span = norm(across);
    const double half = 0.5 * config.aperture_width.value_or(span);
    const Vec3 left = add_scaled(config.center, -half / span, across);
    const Vec3 right = add_scaled(config.center, half / span, across);
    const auto add_lip = [&](const char* part,
                             const Vec3& from,
                             const Vec3& to,
                             double low,
                             double high) {
        made.targets.push_back(
            {name + "_lip_" + part, upright_panel(from, to, low, high), name, SurfaceUse::shield});
    };
    if (config.lip_top > 0.0) add_lip("top", corners.front(), corners.back(), sill + opening, top);
    if (config.lip_bottom > 0.0) add_lip("bottom", corners.front(), corners.back(), bottom, sill);
    if (2.0 * half < span * (1.0 - 1e-9)) {
        add_lip("left", corners.front(), left, sill, sill + opening);
        add_lip("right", right, corners.back(), sill, sill + opening);
    }
    return made;
}

}  // namespace helioray
