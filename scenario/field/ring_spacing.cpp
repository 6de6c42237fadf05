// SPDX-License-Identifier: MIT
// Closed forms for the distances of rings.
#include "scenario/field/ring_spacing.h"

#include <algorithm>
#include <cmath>

namespace helioray {

std::optional<double> radius_behind(double radius, const RingSizes& sizes) {
    const double half = 0.5 * sizes.height;
    const double slant = std::hypot(radius, sizes.aim_height);
    if (slant <= half) return std::nullopt;
    const double upper_edge = std::atan2(sizes.aim_height, radius) - std::asin(half / slant);
    if (upper_edge <= 0.0) return std::nullopt;
    return (half + sizes.aim_height * std::cos(upper_edge)) / std::sin(upper_edge);
}

double staggered_radius(double radius, double slot, const RingSizes& sizes) {
    // d^2 = R^2 + r^2 - 2 R r cos(slot / 2), solved for R.
    const double across = radius * std::sin(0.5 * slot);
    const double rest = sizes.min_distance * sizes.min_distance - across * across;
    if (rest <= 0.0) return radius;
    return std::max(radius, radius * std::cos(0.5 * slot) + std::sqrt(rest));
}

std::optional<DelsolSpacing> delsol_spacing(double radius, const RingSizes& sizes) {
    constexpr double kLowestElevation = 0.06;  // radians; the azimuthal formula has a pole at 0.049
    const double a = std::atan2(sizes.aim_height, radius);
    if (a < kLowestElevation) return std::nullopt;
    const double rows = 1.1442399 / std::tan(a) - 1.093519 + 3.0683558 * a - 1.1255617 * a * a;
    const double crowding = 1.0 - 0.5 * rows * sizes.width / radius;
    if (rows <= 0.0 || crowding <= 0.0) return std::nullopt;
    const double neighbours = 1.7490871 + 0.63964099 * a + 0.028726279 / (a - 0.049023315);
    return DelsolSpacing{0.5 * rows * sizes.height, neighbours * sizes.width / crowding};
}

}  // namespace helioray
