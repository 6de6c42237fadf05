// SPDX-License-Identifier: MIT
// Bilinear interpolation.
#include "scenario/types/value_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

namespace {

// Coordinates of pixel centres may differ from those of a table by rounding.
constexpr double kRounding = 1e-9;

/// Returns the grid line at or below a coordinate, and the fraction of the distance to the next
/// one; no value outside the grid.
std::optional<std::pair<size_t, double>> locate(const std::vector<double>& axis, double at) {
    const double slack = kRounding * (axis.back() - axis.front());
    if (!(at >= axis.front() - slack && at <= axis.back() + slack)) return std::nullopt;
    const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, at);
    const auto below = static_cast<size_t>(above - axis.begin()) - 1;
    const double share = (at - axis[below]) / (axis[below + 1] - axis[below]);
    return std::pair{below, std::clamp(share, 0.0, 1.0)};
}

}  // namespace

std::optional<double> ValueGrid::at(double x_m, double y_m) const {
    const auto column = locate(x, x_m);
    const auto row = locate(y, y_m);
    if (!column || !row) return std::nullopt;
    const auto [j, right] = *column;
    const auto [i, up] = *row;
    const auto along = [&](size_t line) {
        const double* line_values = values.data() + line * x.size() + j;
        return std::lerp(line_values[0], line_values[1], right);
    };
    return std::lerp(along(i), along(i + 1), up);
}

}  // namespace helioray
