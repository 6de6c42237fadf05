// SPDX-License-Identifier: MIT
// Implements the fixed strategies for aim points.
#include "raytracer/solvers/aiming/search/strategies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace helioray::aiming {

namespace {

/// Returns the aim points of the range that keep `factor` standard deviations of the image inside
/// the edges, or the middle if the image is too large.
Range2 find_fitting(const AimArea& area, const Image& image, const Range2& range, double factor) {
    const auto room = [&](double extent, double spread) {
        return std::max(0.0, 0.5 * extent - factor * spread);
    };
    const double across = room(area.width, image.spread().x);
    const double up = room(area.height, image.spread().y);
    Range2 fits = range;
    if (area.free_x) {
        fits.low.x = std::clamp(-across, range.low.x, range.high.x);
        fits.high.x = std::clamp(across, range.low.x, range.high.x);
    }
    fits.low.y = std::clamp(-up, range.low.y, range.high.y);
    fits.high.y = std::clamp(up, range.low.y, range.high.y);
    return fits;
}

}  // namespace

std::vector<Setting> aim_at_equator(const FluxModel& model,
                                    const std::vector<SurfacePoint>& nearest,
                                    const std::vector<Range2>& ranges) {
    std::vector<Setting> settings(nearest.size());
    for (size_t i = 0; i < settings.size(); ++i) {
        const Range2 fits = find_fitting(model.area(i), model.images[i], ranges[i], 2.0);
        settings[i].aim = {std::clamp(nearest[i].x, fits.low.x, fits.high.x),
                           std::clamp(0.0, fits.low.y, fits.high.y)};
    }
    return settings;
}

std::vector<Setting> aim_by_spread(const FluxModel& model,
                                   const std::vector<SurfacePoint>& nearest,
                                   const std::vector<Range2>& ranges,
                                   double factor) {
    std::vector<Setting> settings(nearest.size());
    std::vector<size_t> order(nearest.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return nearest[a].x < nearest[b].x;
    });
    std::vector<int> turns(model.grids.size(), 0);
    for (const size_t i : order) {
        const Range2 fits = find_fitting(model.area(i), model.images[i], ranges[i], factor);
        const int turn = turns[model.grid_of[i]]++;
        settings[i].aim.y = turn % 2 == 0 ? fits.high.y : fits.low.y;
        settings[i].aim.x = turn % 4 < 2 ? fits.low.x : fits.high.x;
    }
    return settings;
}

std::vector<Setting> aim_by_image_size(const FluxModel& model,
                                       const std::vector<SurfacePoint>& nearest,
                                       const std::vector<Range2>& ranges,
                                       double factor,
                                       const std::vector<double>& wanted) {
    std::vector<Setting> settings = aim_at_equator(model, nearest, ranges);
    std::vector<size_t> order(settings.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto size = [&](size_t i) {
        const SurfacePoint spread = model.images[i].spread();
        return std::hypot(spread.x, spread.y);
    };
    std::stable_sort(
        order.begin(), order.end(), [&](size_t a, size_t b) { return size(a) > size(b); });
    std::vector<double> darkness = wanted;
    darkness.resize(model.num_cells, 0.0);
    for (const size_t i : order) {
        const ReceiverGrid& grid = model.grid(i);
        const Range2 fits = find_fitting(model.area(i), model.images[i], ranges[i], factor);
        const std::span<double> own = model.cells_of(i).of(std::span(darkness));
        settings[i].aim =
            model.images[i].best(grid, fits.low, fits.high, model.factors_for(i, darkness)).aim;
        model.images[i].add(grid, settings[i].aim, -1.0, own);
        // Ignore light on a shield, so that a shield does not change the aim points.
        if (grid.is_surface) continue;
        for (int column = 0; column < grid.columns; ++column)
            for (int row = 0; row < grid.rows; ++row)
                if (grid.is_beyond(column, row)) own[grid.cell(column, row)] = 0.0;
    }
    return settings;
}

}  // namespace helioray::aiming
