// SPDX-License-Identifier: MIT
// Limits of the flux on the pixels of targets, and on the optimiser's cells after what rays say.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/flux_model.h"
#include "raytracer/job/result.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <optional>
#include <vector>

namespace helioray::aiming {

/// Limits of the pixels of targets that are aimed at, without prices. grids: of these targets.
/// Throws InputError for tables that do not fit.
std::vector<LimitMap> pixel_limits(const RunConfig& config,
                                   const Scenario& scenario,
                                   const std::vector<ReceiverGrid>& grids);

/// How a traced field stands against its limits.
struct LimitCheck {
    std::optional<double> worst_share;  ///< largest flux over its limit; nothing without limits
    double worst_std_error = 0.0;       ///< of this share
    double most_errors = 0.0;  ///< largest excess over a limit, in its standard errors; 0: none
    bool kept = true;          ///< nowhere more than three standard errors above it
    size_t pixels_above = 0;   ///< that are
    std::string target;        ///< with the largest share
};
LimitCheck check_limits(const std::vector<LimitMap>& limits, const RunResult& traced);

/// Limits of cells in W: of a cell's pixels the tightest. traced: what rays said where the model
/// says `cells` (W); the difference counts for every aim point. A limit is lowered by `back_off`
/// standard errors, and by `room` (W, by cell; empty: none). pixels: place of the tightest pixel in
/// its LimitMap, by cell.
std::vector<double> cell_limits(const FluxModel& model,
                                const std::vector<LimitMap>& limits,
                                const BitmapConfig& bitmap,
                                const RunResult* traced,
                                const std::vector<double>& cells,
                                double back_off,
                                const std::vector<double>& room,
                                std::vector<size_t>* pixels = nullptr);

/// W in the cells of a traced field.
std::vector<double> traced_cells(const RunResult& traced,
                                 const Scenario& scenario,
                                 const BitmapConfig& bitmap,
                                 const FluxModel& model);

}  // namespace helioray::aiming
