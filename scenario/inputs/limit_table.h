// SPDX-License-Identifier: MIT
// Flux limits as a function of the place on a receiver (aiming.flux_limit), from CSV or HDF5.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/types.h"
#include "scenario/types/value_grid.h"

#include <string>
#include <vector>

namespace helioray {

/// Limits on a rectangular grid of a target's unrolled surface. x is to the right and y up, in
/// metres from the centre, for an observer who faces the surface. A grid may reach beyond the
/// target's edges, to shields beside it.
struct LimitTable {
    std::string target;  ///< name of the target
    ValueGrid grid;      ///< limits, W/m2, within kFluxLimits

    /// Returns the limit at a point in W/m2, interpolated bilinearly; infinity outside of the grid.
    double limit_at(double x_m, double y_m) const;
};

/// Returns a warning for each table that does not reach to the edges of its target, because the
/// surface beyond the table has no limit.
std::vector<std::string> limit_warnings(const std::vector<LimitTable>& tables,
                                        const Scenario& scenario);

/// Reads the file config.aiming.flux_limit_file. Returns at most one table for each target, in the
/// scenario's order; none without such a file.
///
/// CSV: columns x_m, y_m, flux_limit_kw_m2 and optionally target; rows in any order. Rows without a
/// target apply to all targets. Targets with rows of their own use these rows only. The target may
/// be a receiver, which stands for all of its absorbing surfaces without rows of their own. Without
/// the columns x_m and y_m, each row has the limit of a whole target.
///
/// HDF5: dataset flux_limit [bitmap.height, bitmap.width], in the layout of result fluxes, for all
/// targets, or targets/NAME/flux_limit; W/m2 unless the attribute unit says kW/m2. The limit of a
/// pixel applies at its centre; the limits of the outermost pixels extend to the target's edges.
/// With the datasets x_m and y_m beside it (ascending), flux_limit [y_m, x_m] is a grid as in CSV
/// instead.
///
/// Throws InputError with all problems: rows that do not form a grid, wrong shapes, values outside
/// of kFluxLimits, targets that the scenario does not have. Problems name the key and the file.
std::vector<LimitTable> read_limit_tables(const RunConfig& config, const Scenario& scenario);

}  // namespace helioray
