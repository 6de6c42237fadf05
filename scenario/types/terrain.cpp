// SPDX-License-Identifier: MIT
// Interpolates heights in triangles and walks through the cells of the grid.
#include "scenario/types/terrain.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace helioray {

namespace {

/// Returns the index of the interval of an ascending axis that contains a coordinate; the first or
/// the last one outside of it.
size_t find_interval(const std::vector<double>& axis, double at) {
    const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, at);
    return static_cast<size_t>(above - axis.begin()) - 1;
}

/// A cell of the grid.
struct Cell {
    double west, south, width, depth;
    double corners[2][2];  ///< heights [north][east]

    Cell(const ValueGrid& grid, size_t column, size_t row)
        : west(grid.x[column]),
          south(grid.y[row]),
          width(grid.x[column + 1] - west),
          depth(grid.y[row + 1] - south) {
        for (size_t north = 0; north < 2; ++north)
            for (size_t east = 0; east < 2; ++east)
                corners[north][east] = grid.values[(row + north) * grid.x.size() + column + east];
    }

    /// Returns how far a point lies to the right of the diagonal, from -1 to 1.
    double beside_diagonal(double east, double north) const {
        return (east - west) / width - (north - south) / depth;
    }

    double height(double east, double north) const {
        const double u = (east - west) / width;
        const double v = (north - south) / depth;
        const auto& [low, high] = corners;
        if (u >= v) return low[0] + u * (low[1] - low[0]) + v * (high[1] - low[1]);
        return low[0] + v * (high[0] - low[0]) + u * (high[1] - high[0]);
    }
};

/// Restricts the interval [near, far] of a line to coordinates of one axis between low and high.
void clip(double from, double direction, double low, double high, double& near, double& far) {
    if (direction == 0.0) {
        if (from < low || from > high) far = -std::numeric_limits<double>::infinity();
        return;
    }
    const double a = (low - from) / direction;
    const double b = (high - from) / direction;
    near = std::max(near, std::min(a, b));
    far = std::min(far, std::max(a, b));
}

/// Returns the distance along a line at which it leaves an interval of one axis.
double find_exit(double from, double direction, double low, double high) {
    if (direction == 0.0) return std::numeric_limits<double>::infinity();
    return ((direction > 0.0 ? high : low) - from) / direction;
}

}  // namespace

Terrain::Terrain(ValueGrid heights) : heights_(std::move(heights)) {}

std::optional<double> Terrain::height_at(double east, double north) const {
    const auto& [x, y, values] = heights_;
    const bool inside =
        east >= x.front() && east <= x.back() && north >= y.front() && north <= y.back();
    if (!inside) return std::nullopt;
    const Cell cell(heights_, find_interval(x, east), find_interval(y, north));
    const double height = cell.height(east, north);
    if (std::isnan(height)) return std::nullopt;
    return height;
}

std::optional<Skyline> Terrain::find_skyline(const Vec3& from,
                                             const std::array<double, 2>& direction,
                                             double near,
                                             double far) const {
    const auto& [x, y, values] = heights_;
    clip(from[0], direction[0], x.front(), x.back(), near, far);
    clip(from[1], direction[1], y.front(), y.back(), near, far);
    std::optional<Skyline> highest;
    double steepest = -std::numeric_limits<double>::infinity();
    const auto east = [&](double along) { return from[0] + along * direction[0]; };
    const auto north = [&](double along) { return from[1] + along * direction[1]; };
    const auto look_at = [&](const Cell& cell, double along) {
        const double height = cell.height(east(along), north(along));
        // The smallest distance keeps points below the origin from being infinitely steep.
        const double slope = (height - from[2]) / std::max(along, 1e-6);
        if (!(slope > steepest)) return;
        steepest = slope;
        highest = {along, height};
    };
    if (!(near < far)) return highest;
    // The middle of the first step decides in which cell the walk begins.
    const double first = near + 1e-9 * (far - near);
    auto column = static_cast<std::ptrdiff_t>(find_interval(x, east(first)));
    auto row = static_cast<std::ptrdiff_t>(find_interval(y, north(first)));
    double along = near;
    while (along < far && column >= 0 && row >= 0 && column + 1 < std::ssize(x) &&
           row + 1 < std::ssize(y)) {
        const auto i = static_cast<size_t>(column);
        const auto j = static_cast<size_t>(row);
        const Cell cell(heights_, i, j);
        const double leave_x = find_exit(from[0], direction[0], x[i], x[i + 1]);
        const double leave_y = find_exit(from[1], direction[1], y[j], y[j + 1]);
        const double leave = std::max(along, std::min({leave_x, leave_y, far}));
        // Heights are linear up to the diagonal and behind it, so that only these points can be
        // the highest.
        look_at(cell, along);
        look_at(cell, leave);
        const double before = cell.beside_diagonal(east(along), north(along));
        const double behind = cell.beside_diagonal(east(leave), north(leave));
        if (before * behind < 0.0)
            look_at(cell, along + before / (before - behind) * (leave - along));
        if (leave >= far) break;
        if (leave_x <= leave_y) column += direction[0] > 0.0 ? 1 : -1;
        if (leave_y <= leave_x) row += direction[1] > 0.0 ? 1 : -1;
        along = leave;
    }
    return highest;
}

}  // namespace helioray
