// SPDX-License-Identifier: MIT
// Limits of the flux on the pixels of targets, and on the optimiser's cells after what rays say.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/flux_model.h"
#include "raytracer/aiming/trace_field.h"
#include "raytracer/job/result.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <optional>
#include <vector>

namespace helioray::aiming {

/// Limits of the pixels of these targets (indices in Scenario::targets), without prices, and then
/// of their shields: where a table reaches beyond a target's edges, everything around its lit
/// surface is a shield. Throws InputError for tables that do not fit or reach no pixel.
std::vector<LimitMap> pixel_limits(const RunConfig& config,
                                   const Scenario& scenario,
                                   const std::vector<size_t>& targets);

/// How a traced field stands against its limits.
struct LimitCheck {
    std::optional<double> worst_share;  ///< largest flux over its limit; nothing without limits
    double worst_std_error = 0.0;       ///< of this share
    double most_errors = 0.0;  ///< largest excess over a limit, in its standard errors; 0: none
    bool kept = true;          ///< nowhere more than three standard errors above it
    size_t pixels_above = 0;   ///< that are
    std::string place;         ///< with the largest share, LimitMap::place()

    /// Names the number of cells above their limits, and the place of the worst.
    std::string text() const;
};
LimitCheck check_limits(const std::vector<LimitMap>& limits, const TracedField& traced);

/// W, by cell: how far below their limits the settings of these points stay for the sake of errors
/// (aiming.robust_sigma times the standard deviation of the flux); empty without errors. The
/// model's images contain the tracking errors that the seed draws, and settings make up for them.
/// In another draw these are missing, and those of the draw come in: they count twice, in squares.
std::vector<double> room_for_errors(const RunConfig& config,
                                    const Scenario& scenario,
                                    const AimErrors& aim_errors,
                                    const FluxModel& model,
                                    const std::vector<AimedPoint>& points,
                                    const std::vector<Setting>& settings);

/// A pixel with a limit.
struct LimitPlace {
    size_t map = 0;    ///< among the limits
    size_t pixel = 0;  ///< of this map
};

/// Limits of cells in W: of a cell's pixels the tightest. traced: what rays said where the model
/// says `cells` (W); the difference counts for every aim point. A limit is lowered by `back_off`
/// standard errors, and by `room` (W, by cell; empty: none). places: of the tightest pixels, by
/// cell.
std::vector<double> cell_limits(const FluxModel& model,
                                const std::vector<LimitMap>& limits,
                                const BitmapConfig& bitmap,
                                const TracedField* traced,
                                const std::vector<double>& cells,
                                double back_off,
                                const std::vector<double>& room,
                                std::vector<LimitPlace>* places = nullptr);

/// W in the cells of targets, traced; 0 beyond their edges.
std::vector<double> traced_cells(const RunResult& traced,
                                 const Scenario& scenario,
                                 const BitmapConfig& bitmap,
                                 const FluxModel& model);

}  // namespace helioray::aiming
