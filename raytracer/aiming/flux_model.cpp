// SPDX-License-Identifier: MIT
// Sums over the images of a field.
#include "raytracer/aiming/flux_model.h"

#include "kernels/parallel_for.h"

#include <algorithm>
#include <cmath>

namespace helioray::aiming {

namespace {

// Always as many parts, added in their order, so that sums do not depend on threads.
constexpr size_t kParts = 16;
constexpr size_t kHeliostatsOfShare = 64;

}  // namespace

std::span<const double> FluxModel::part(size_t heliostat, std::span<const double> cells) const {
    const ReceiverGrid& own = grid(heliostat);
    return cells.subspan(own.first_cell, own.num_cells());
}

std::vector<double> FluxModel::lit_shares() const {
    std::vector<double> shares(num_cells);
    for (const ReceiverGrid& one : grids)
        std::copy(one.lit_share.begin(),
                  one.lit_share.end(),
                  shares.begin() + static_cast<std::ptrdiff_t>(one.first_cell));
    return shares;
}

std::vector<double> FluxModel::cells(const std::vector<Setting>& settings) const {
    std::vector<std::vector<double>> parts(kParts);
    parallel_for(kParts, num_threads, [&](size_t p) {
        parts[p].assign(num_cells, 0.0);
        const size_t begin = settings.size() * p / kParts;
        const size_t end = settings.size() * (p + 1) / kParts;
        for (size_t i = begin; i < end; ++i) {
            if (settings[i].share == 0.0) continue;
            const ReceiverGrid& own = grid(i);
            images[i].add(own,
                          settings[i].aim,
                          settings[i].share,
                          std::span(parts[p]).subspan(own.first_cell, own.num_cells()));
        }
    });
    std::vector<double> sum(num_cells, 0.0);
    for (const std::vector<double>& one : parts)
        for (size_t c = 0; c < num_cells; ++c) sum[c] += one[c];
    return sum;
}

std::vector<double> FluxModel::deviations(const std::vector<Setting>& settings,
                                          const std::vector<SurfacePoint>& errors) const {
    std::vector<double> variance(num_cells, 0.0), change;
    for (size_t i = 0; i < settings.size(); ++i) {
        if (settings[i].share == 0.0) continue;
        const ReceiverGrid& own = grid(i);
        const SurfacePoint aim = settings[i].aim;
        const auto difference = [&](SurfacePoint from, SurfacePoint to) {
            change.assign(own.num_cells(), 0.0);
            images[i].add(own, to, 0.5, change);
            images[i].add(own, from, -0.5, change);
        };
        const auto take = [&](size_t c, double deviation) {
            variance[own.first_cell + c] += deviation * deviation;
        };
        difference({aim.x, aim.y - errors[i].y}, {aim.x, aim.y + errors[i].y});
        for (size_t c = 0; c < change.size(); ++c) take(c, change[c]);
        if (own.free_x) {
            difference({aim.x - errors[i].x, aim.y}, {aim.x + errors[i].x, aim.y});
            for (size_t c = 0; c < change.size(); ++c) take(c, change[c]);
            continue;
        }
        // Columns that are fixed: from the difference of those beside each, all the way round.
        change.assign(own.num_cells(), 0.0);
        images[i].add(own, aim, 1.0, change);
        for (int column = 0; column < own.columns; ++column) {
            const int left = (column + own.columns - 1) % own.columns;
            const int right = (column + 1) % own.columns;
            for (int row = 0; row < own.rows; ++row)
                take(own.cell(column, row),
                     (change[own.cell(left, row)] - change[own.cell(right, row)]) * errors[i].x /
                         (2.0 * own.cell_width()));
        }
    }
    for (double& value : variance) value = std::sqrt(value);
    return variance;
}

std::vector<Image::Value> FluxModel::weighted(const std::vector<Setting>& settings,
                                              std::span<const double> factors) const {
    std::vector<Image::Value> values(settings.size());
    parallel_shares(
        settings.size(), kHeliostatsOfShare, num_threads, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i)
                values[i] = images[i].weighted(grid(i), settings[i].aim, part(i, factors));
        });
    return values;
}

}  // namespace helioray::aiming
