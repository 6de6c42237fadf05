// SPDX-License-Identifier: MIT
// Target flux maps, and the distance of other maps from them.
#pragma once

#include "raytracer/solvers/aiming/model/receiver_grid.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <vector>

namespace helioray::aiming {

/// Target power in the cells of all targets. Distances are dimensionless and include the total
/// power: a map of the right shape that is too dark or too bright has a distance above 0.
struct WantedMap {
    AimingConfig::MapMeasure measure = AimingConfig::MapMeasure::mean_square;
    std::vector<double> cells;       ///< Target power by cell, W
    std::vector<double> lit_shares;  ///< Fraction of each cell on which light counts
    double unit = 1.0;               ///< Mean target power of a cell, W

    /// Contribution of one cell to the distance at a given power, and its derivative per W.
    struct Part {
        double value = 0.0;
        double slope = 0.0;
    };
    /// Returns the contribution of one cell. mean_square: half the squared difference in units of
    /// `unit`. kl: w log(w/p) - w + p in units, for target power w and power p. Below a thousandth
    /// of a unit, where the logarithm diverges, a quadratic continuation replaces it. For a mean
    /// cell both measures agree to second order near p = w.
    Part part(size_t cell, double power) const;

    /// Returns the distance of a map. mean_square: root mean square difference over the mean flux.
    /// kl: the generalised Kullback-Leibler divergence (I-divergence, Csiszar 1975) over the total
    /// target power; for maps of equal power this is the divergence of their shapes. Both are 0
    /// only for the target flux map itself.
    double distance(const std::vector<double>& power) const;
};

/// Reads the target flux maps of the configuration (AimingConfig::target_map), W/m2 by pixel, for
/// these targets (indices in Scenario::targets). The HDF5 file contains targets/NAME/flux
/// [bitmap.height, bitmap.width] in W/m2, as in results. Throws InputError with all problems: a
/// missing map, a wrong shape, values that are negative or not finite, or no light at all.
std::vector<std::vector<double>> read_wanted_flux(const RunConfig& config,
                                                  const Scenario& scenario,
                                                  const std::vector<size_t>& targets);

/// Reads the target flux maps and sums them over the cells of the grids of all targets in use.
/// Throws like read_wanted_flux().
WantedMap read_wanted_map(const RunConfig& config,
                          const Scenario& scenario,
                          const std::vector<ReceiverGrid>& grids);

}  // namespace helioray::aiming
