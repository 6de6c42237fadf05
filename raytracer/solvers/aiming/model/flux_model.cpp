// SPDX-License-Identifier: MIT
// Computes sums over the images of a field.
#include "raytracer/solvers/aiming/model/flux_model.h"

#include "kernels/host/parallel_for.h"

#include <algorithm>
#include <cmath>

namespace helioray::aiming {

namespace {

// Sums use a fixed number of parts that are added in order, so that they do not depend on the
// threads.
constexpr size_t kParts = 16;
constexpr size_t kHeliostatsOfShare = 64;

}  // namespace

std::vector<CellFactors> FluxModel::cell_factors(std::span<const double> cells) const {
    std::vector<CellFactors> factors;
    for (const ReceiverGrid& receiver : grids) {
        if (!receiver.is_surface)
            factors.emplace_back(receiver,
                                 cells.subspan(receiver.first_cell, receiver.num_cells()));
        else
            factors.emplace_back(receiver.first_cell == surfaces.first ? surfaces.of(cells)
                                                                       : cells.first(0));
    }
    return factors;
}

size_t FluxModel::factors_of(size_t heliostat) const {
    size_t place = grid_of[heliostat];
    if (grids[place].is_surface)
        while (place > 0 && grids[place - 1].is_surface) --place;
    return place;
}

CellFactors FluxModel::factors_for(size_t heliostat, std::span<const double> cells) const {
    const std::span<const double> own = cells_of(heliostat).of(cells);
    return grid(heliostat).is_surface ? CellFactors(own) : CellFactors(grid(heliostat), own);
}

AimArea FluxModel::area(size_t heliostat) const {
    if (!areas.empty()) return areas[heliostat];
    const ReceiverGrid& own = grid(heliostat);
    return {own.target_width(), own.target_height(), own.free_x};
}

std::vector<double> FluxModel::lit_shares() const {
    std::vector<double> shares(num_cells);
    for (const ReceiverGrid& receiver : grids)
        std::copy(receiver.lit_share.begin(),
                  receiver.lit_share.end(),
                  shares.begin() + static_cast<std::ptrdiff_t>(receiver.first_cell));
    return shares;
}

std::vector<double> FluxModel::cells(const std::vector<Setting>& settings) const {
    std::vector<std::vector<double>> parts(kParts);
    parallel_for(kParts, num_threads, [&](size_t p) {
        parts[p].assign(num_cells, 0.0);
        const size_t begin = settings.size() * p / kParts;
        const size_t end = settings.size() * (p + 1) / kParts;
        for (size_t i = begin; i < end; ++i) {
            if (i + 1 < end && settings[i + 1].share != 0.0) images[i + 1].prefetch();
            if (settings[i].share == 0.0) continue;
            images[i].add(
                grid(i), settings[i].aim, settings[i].share, cells_of(i).of(std::span(parts[p])));
        }
    });
    std::vector<double> sum(num_cells, 0.0);
    for (const std::vector<double>& part : parts)
        for (size_t c = 0; c < num_cells; ++c) sum[c] += part[c];
    return sum;
}

FluxChange FluxModel::change(size_t heliostat, SurfacePoint aim, SurfacePoint error) const {
    const ReceiverGrid& own = grid(heliostat);
    const Image& image = images[heliostat];
    const size_t count = cells_of(heliostat).count;
    FluxChange result{std::vector<double>(count, 0.0), std::vector<double>(count, 0.0)};
    image.add(own, {aim.x, aim.y + error.y}, 0.5, result.up);
    image.add(own, {aim.x, aim.y - error.y}, -0.5, result.up);
    if (area(heliostat).free_x) {
        image.add(own, {aim.x + error.x, aim.y}, 0.5, result.across);
        image.add(own, {aim.x - error.x, aim.y}, -0.5, result.across);
        return result;
    }
    // Fixed columns: use the difference between the two neighbours of each column, around the full
    // circle.
    std::vector<double> here(own.num_cells(), 0.0);
    image.add(own, aim, 1.0, here);
    for (int column = 0; column < own.columns; ++column) {
        const int left = (column + own.columns - 1) % own.columns;
        const int right = (column + 1) % own.columns;
        for (int row = 0; row < own.rows; ++row)
            result.across[own.cell(column, row)] =
                (here[own.cell(left, row)] - here[own.cell(right, row)]) * error.x /
                (2.0 * own.cell_width());
    }
    return result;
}

std::vector<double> FluxModel::deviations(const std::vector<Setting>& settings,
                                          const std::vector<SurfacePoint>& errors) const {
    std::vector<double> variance(num_cells, 0.0);
    for (size_t i = 0; i < settings.size(); ++i) {
        if (settings[i].share == 0.0) continue;
        const FluxChange own = change(i, settings[i].aim, errors[i]);
        double* of_grid = variance.data() + cells_of(i).first;
        for (size_t c = 0; c < own.up.size(); ++c)
            of_grid[c] += own.up[c] * own.up[c] + own.across[c] * own.across[c];
    }
    for (double& value : variance) value = std::sqrt(value);
    return variance;
}

std::vector<Image::Value> FluxModel::weighted(const std::vector<Setting>& settings,
                                              std::span<const double> factors,
                                              Heliostats which) const {
    const std::vector<CellFactors> of_grid = cell_factors(factors);
    const auto counts = [&](size_t i) {
        return which == Heliostats::all || settings[i].share != 0.0;
    };
    std::vector<Image::Value> values(settings.size());
    parallel_shares(
        settings.size(), kHeliostatsOfShare, num_threads, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                if (i + 1 < end && counts(i + 1)) images[i + 1].prefetch();
                if (!counts(i)) continue;
                values[i] = images[i].weighted(grid(i), settings[i].aim, of_grid[factors_of(i)]);
            }
        });
    return values;
}

}  // namespace helioray::aiming
