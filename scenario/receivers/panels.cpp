// SPDX-License-Identifier: MIT
// Computes directions, upright panels and the names of surfaces.
#include "scenario/receivers/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

Vec3 bearing_direction(double bearing) {
    return {std::sin(bearing), std::cos(bearing), 0.0};
}

Vec3 tilted_normal(double bearing, double tilt) {
    constexpr double kLeastLean = 2e-6;
    const Vec3 facing = bearing_direction(bearing);
    const double lean = std::cos(tilt);
    const double down = std::sin(tilt);
    if (lean >= kLeastLean) return add(scaled(lean, facing), {0.0, 0.0, -down});
    const Vec3 up = scaled(down > 0.0 ? 1.0 : -1.0, facing);
    const bool is_north = std::abs(up[0]) < 1e-12 && up[1] > 0.0;
    if (is_north) return {0.0, 0.0, down > 0.0 ? -1.0 : 1.0};
    return normalized(add(scaled(kLeastLean, facing), {0.0, 0.0, down > 0.0 ? -1.0 : 1.0}));
}

PlanarTarget upright_panel(const Vec3& left, const Vec3& right, double bottom, double top) {
    const Vec3 across{right[0] - left[0], right[1] - left[1], 0.0};
    const Vec3 center{0.5 * (left[0] + right[0]), 0.5 * (left[1] + right[1]), 0.5 * (bottom + top)};
    return {center, normalized(cross(across, {0.0, 0.0, 1.0})), norm(across), top - bottom};
}

std::vector<Vec3> arc_points(
    const Vec3& center, double radius, double bearing, double arc, int64_t panels) {
    std::vector<Vec3> points;
    const bool is_closed = arc >= 2.0 * std::numbers::pi * (1.0 - 1e-9);
    for (int64_t i = 0; i <= panels; ++i) {
        if (is_closed && i == panels) {
            points.push_back(points.front());
            break;
        }
        // From outside, the left end has the larger bearing.
        const double turn = 0.5 - static_cast<double>(i) / static_cast<double>(panels);
        points.push_back(add_scaled(center, radius, bearing_direction(bearing + turn * arc)));
    }
    return points;
}

std::string numbered_name(const std::string& receiver,
                          const std::string& part,
                          size_t number,
                          size_t count) {
    const size_t digits = std::max<size_t>(2, std::to_string(count).size());
    return fmt::format("{}_{}_{:0{}}", receiver, part, number, digits);
}

}  // namespace helioray
