// SPDX-License-Identifier: MIT
// Flux limits by place on a receiver (aiming.flux_limit), from CSV or HDF5.
#pragma once

#include "scenario/run_config.h"
#include "scenario/types.h"
#include "scenario/value_grid.h"

#include <string>
#include <vector>

namespace helioray {

/// Limits on a rectangular grid of a target's unrolled surface: x to the right and y up, metres
/// from its centre, as an observer facing it sees it. A grid may reach beyond the target's edges,
/// to shields beside it.
struct LimitTable {
    std::string target;  ///< name
    ValueGrid grid;      ///< W/m2, kFluxLimits

    /// W/m2, interpolated bilinearly; infinity where the grid does not reach.
    double limit_at(double x_m, double y_m) const;
};

/// Returns a warning for each table that does not reach to the edges of its target: the surface
/// beyond it has no limit.
std::vector<std::string> limit_warnings(const std::vector<LimitTable>& tables,
                                        const Scenario& scenario);

/// Reads config.aiming.flux_limit_file: at most one table for each target, in the scenario's order;
/// none without such a file.
///
/// CSV: columns x_m, y_m, flux_limit_kw_m2 and optionally target; rows in any order. A row without
/// a target belongs to all targets; a target with rows of its own has these alone.
///
/// HDF5: dataset flux_limit [bitmap.height, bitmap.width], laid out like the flux of results, for
/// all targets, or targets/NAME/flux_limit; W/m2 unless the attribute unit says kW/m2. The limit of
/// a pixel holds at its centre, that of the outermost ones as far as the target's edges. With the
/// datasets x_m and y_m beside it (ascending), flux_limit [y_m, x_m] is a grid as in CSV instead.
///
/// Throws InputError with every problem: not a grid, another shape, values outside of kFluxLimits,
/// targets that the scenario does not have. Places name the key and the file.
std::vector<LimitTable> read_limit_tables(const RunConfig& config, const Scenario& scenario);

}  // namespace helioray
