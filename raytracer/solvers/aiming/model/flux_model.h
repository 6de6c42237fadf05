// SPDX-License-Identifier: MIT
// Models the flux of a whole field as a smooth function of its aim points.
#pragma once

#include "raytracer/solvers/aiming/model/image.h"
#include "raytracer/solvers/aiming/model/receiver_grid.h"

#include <cstddef>
#include <span>
#include <vector>

namespace helioray::aiming {

/// State of one heliostat.
struct Setting {
    SurfacePoint aim;    ///< Aim point, metres
    double share = 1.0;  ///< Fraction of its light that is used; 0 means off
};

/// Change of the power of one heliostat caused by an error of its aim point, W by cell of its grid.
struct FluxChange {
    std::vector<double> up;      ///< Change caused by an upward error
    std::vector<double> across;  ///< Change caused by an error to the right
};

/// Range of cells among those of all targets.
struct CellRange {
    size_t first = 0;  ///< Index of the first cell
    size_t count = 0;

    template <typename Number>
    std::span<Number> of(std::span<Number> all) const {
        return all.subspan(first, count);
    }
};

/// Rectangle in which the aim points of a heliostat lie, around the origin of their coordinates.
struct AimArea {
    double width = 0.0;   ///< metres
    double height = 0.0;  ///< metres
    bool free_x = false;  ///< True if aim points also move horizontally
};

/// Images of all heliostats on the cells of all targets.
struct FluxModel {
    std::vector<ReceiverGrid> grids;  ///< Grids of the targets in use
    std::vector<size_t> grid_of;      ///< Index in grids, by heliostat
    std::vector<Image> images;        ///< Image, by heliostat
    size_t num_cells = 0;             ///< Number of cells of all targets
    int num_threads = 1;              ///< Maximum number of threads; results do not depend on it

    /// Cells of all surfaces of receivers, whose grids follow each other.
    CellRange surfaces = {};
    /// Areas of the aim points by heliostat; empty if all are the heliostats' targets.
    std::vector<AimArea> areas = {};

    const ReceiverGrid& grid(size_t heliostat) const { return grids[grid_of[heliostat]]; }
    /// Returns the cells to which the image of a heliostat brings light: those of its target, or
    /// those of all surfaces of receivers.
    CellRange cells_of(size_t heliostat) const {
        const ReceiverGrid& own = grid(heliostat);
        return own.is_surface ? surfaces : CellRange{own.first_cell, own.num_cells()};
    }
    AimArea area(size_t heliostat) const;
    /// Returns factors of the cells that an image lights, from those of all cells.
    CellFactors factors_for(size_t heliostat, std::span<const double> cells) const;
    /// Splits factors of all cells by grid. Those of all surfaces of receivers are together at the
    /// first one of them.
    std::vector<CellFactors> cell_factors(std::span<const double> cells) const;
    /// Returns the index in cell_factors() of the factors for a heliostat.
    size_t factors_of(size_t heliostat) const;
    /// Returns the fraction of each cell on which light counts as power, for all cells.
    std::vector<double> lit_shares() const;

    /// Returns the power in each cell, W.
    std::vector<double> cells(const std::vector<Setting>& settings) const;
    /// Returns half the difference between the flux at the aim point plus and minus the error
    /// (metres).
    FluxChange change(size_t heliostat, SurfacePoint aim, SurfacePoint error) const;
    /// Returns the standard deviation of the power in each cell, W, to first order, if aim points
    /// have independent errors with these standard deviations (metres, by heliostat).
    std::vector<double> deviations(const std::vector<Setting>& settings,
                                   const std::vector<SurfacePoint>& errors) const;
    /// Selects the heliostats whose light is summed.
    enum class Heliostats { all, active };
    /// Returns for each heliostat the sum of its light times a factor for each cell, as if all its
    /// light were used; 0 for heliostats that are left out.
    std::vector<Image::Value> weighted(const std::vector<Setting>& settings,
                                       std::span<const double> factors,
                                       Heliostats which = Heliostats::all) const;
};

}  // namespace helioray::aiming
