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

/// A pixel with a limit.
struct LimitPlace {
    size_t map = 0;    ///< among the limits
    size_t pixel = 0;  ///< of this map
};

/// Difference between a trace and the model in each pixel of a map with limits, W/m2. Differences
/// are averaged over neighbours, up to two pixels to either side, as far as their noise explains
/// all that they vary by: noise alone moves no limit, and structures of single pixels stay.
struct MapCorrection {
    std::vector<double> flux;       ///< W/m2, by pixel; 0 without a limit
    std::vector<double> std_error;  ///< W/m2
};

/// Corrections of all maps. cells: W that the model says where rays were traced.
std::vector<MapCorrection> map_corrections(const FluxModel& model,
                                           const std::vector<LimitMap>& limits,
                                           const BitmapConfig& bitmap,
                                           const TracedField& traced,
                                           const std::vector<double>& cells);

/// Limits of cells in W: of a cell's pixels the tightest. A limit is lowered by its correction
/// (empty: none), which counts for every aim point, by `back_off` standard errors of it, and by
/// `room` (W, by cell; empty: none). places: of the tightest pixels, by cell.
std::vector<double> cell_limits(const FluxModel& model,
                                const std::vector<LimitMap>& limits,
                                const BitmapConfig& bitmap,
                                const std::vector<MapCorrection>& corrections,
                                double back_off,
                                const std::vector<double>& room,
                                std::vector<LimitPlace>* places = nullptr);

/// Lowers the limits of pixels by the room (W, by cell) of their cells.
void lower_limits(const FluxModel& model,
                  const BitmapConfig& bitmap,
                  const std::vector<double>& room,
                  std::vector<LimitMap>& limits);

/// W in the cells of targets, traced; 0 beyond their edges.
std::vector<double> traced_cells(const RunResult& traced,
                                 const Scenario& scenario,
                                 const BitmapConfig& bitmap,
                                 const FluxModel& model);

}  // namespace helioray::aiming
