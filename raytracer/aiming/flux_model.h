// SPDX-License-Identifier: MIT
// The flux of a whole field as a smooth function of its aim points.
#pragma once

#include "raytracer/aiming/image.h"
#include "raytracer/aiming/receiver_grid.h"

#include <cstddef>
#include <span>
#include <vector>

namespace helioray::aiming {

/// What one heliostat does.
struct Setting {
    SurfacePoint aim;    ///< metres
    double share = 1.0;  ///< of its light that is used: 0 is off
};

/// Change of the flux of one heliostat with an error of its aim point, W by cell of its grid.
struct FluxChange {
    std::vector<double> up;      ///< by the error upwards
    std::vector<double> across;  ///< by the error to the right
};

/// Images of all heliostats on the cells of all targets.
struct FluxModel {
    std::vector<ReceiverGrid> grids;  ///< of targets that are aimed at
    std::vector<size_t> grid_of;      ///< by heliostat: index in grids
    std::vector<Image> images;        ///< by heliostat
    size_t num_cells = 0;             ///< of all targets
    int num_threads = 1;              ///< at most; no result depends on it

    const ReceiverGrid& grid(size_t heliostat) const { return grids[grid_of[heliostat]]; }
    /// By grid: factors of all cells.
    std::vector<CellFactors> cell_factors(std::span<const double> cells) const;
    /// Share of each cell on which light counts as power, over all cells.
    std::vector<double> lit_shares() const;

    /// W in each cell.
    std::vector<double> cells(const std::vector<Setting>& settings) const;
    /// Half the difference of the flux between the errors (metres) to either side of an aim point.
    FluxChange change(size_t heliostat, SurfacePoint aim, SurfacePoint error) const;
    /// W: standard deviation of each cell when aim points are off by independent errors of these
    /// standard deviations (metres, by heliostat), to first order.
    std::vector<double> deviations(const std::vector<Setting>& settings,
                                   const std::vector<SurfacePoint>& errors) const;
    /// Heliostats whose light is summed.
    enum class Of { all, those_on };
    /// By heliostat: the sum of its light times a factor for each cell, as if all its light were
    /// used; 0 for heliostats that are left out.
    std::vector<Image::Value> weighted(const std::vector<Setting>& settings,
                                       std::span<const double> factors,
                                       Of which = Of::all) const;
};

}  // namespace helioray::aiming
