// SPDX-License-Identifier: MIT
// A map of flux that aim points come close to, and the distance of other maps from it.
#pragma once

#include "raytracer/aiming/receiver_grid.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <cstddef>
#include <vector>

namespace helioray::aiming {

/// The power that is wanted in the cells of all targets. Distances are pure numbers and count the
/// power: a map of the right shape that is too dark or too bright is not at distance 0.
struct WantedMap {
    AimingConfig::MapMeasure measure = AimingConfig::MapMeasure::mean_square;
    std::vector<double> cells;       ///< W, by cell
    std::vector<double> lit_shares;  ///< share of each cell on which light counts
    double unit = 1.0;               ///< W: the mean cell

    /// What one cell adds to the distance, by its power, and how that changes per W.
    struct Part {
        double value = 0.0;
        double slope = 0.0;
    };
    /// mean_square: half the square of the difference, in units. kl: w log(w/p) - w + p in units,
    /// for a wanted w and a power p; below a thousandth of a unit, where the logarithm would grow
    /// without limit, its quadratic continuation. Near w both are the same curve in a mean cell.
    Part part(size_t cell, double power) const;

    /// mean_square: root of the mean square difference, over the mean flux. kl: the generalised
    /// Kullback-Leibler divergence (I-divergence, Csiszar 1975) over the power that is wanted; for
    /// maps of equal power the divergence of their shapes. Both are 0 for the wanted map alone.
    double distance(const std::vector<double>& power) const;
};

/// Reads the maps that the configuration wants (AimingConfig::target_map): W/m2 by pixel, for each
/// of these targets (indices in Scenario::targets). HDF5 with targets/NAME/flux [bitmap.height,
/// bitmap.width] in W/m2, as in results. Throws InputError with every problem: no map of a target,
/// another shape, values that are not finite or below 0, no light at all.
std::vector<std::vector<double>> read_wanted_flux(const RunConfig& config,
                                                  const Scenario& scenario,
                                                  const std::vector<size_t>& targets);

/// The same in the cells of the grids of all targets that are aimed at. Throws as above.
WantedMap read_wanted_map(const RunConfig& config,
                          const Scenario& scenario,
                          const std::vector<ReceiverGrid>& grids);

}  // namespace helioray::aiming
