// SPDX-License-Identifier: MIT
// Flux limits on the pixels of targets, and limits on the optimiser's cells with corrections from a
// trace.
#pragma once

#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "raytracer/solvers/aiming/model/flux_model.h"
#include "raytracer/solvers/aiming/traced/trace_field.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <optional>
#include <vector>

namespace helioray::aiming {

/// Returns the limits on the pixels of these targets (indices in Scenario::targets), without
/// prices, followed by those of their shields. If a table reaches beyond a target's edges,
/// everything around its lit surface is a shield. Throws InputError for tables that do not fit or
/// cover no pixel.
std::vector<LimitMap> pixel_limits(const RunConfig& config,
                                   const Scenario& scenario,
                                   const std::vector<size_t>& targets);

/// Identifies a pixel with a limit.
struct LimitPlace {
    size_t map = 0;    ///< Index of the map among the limits
    size_t pixel = 0;  ///< Index of the pixel in this map
};

/// Difference between a trace and the model in each pixel of a map with limits. Differences are
/// averaged over neighbours, up to two pixels to each side, if their noise explains their
/// variation. Noise alone therefore does not move a limit, and structures of single pixels are
/// preserved.
struct MapCorrection {
    std::vector<double> flux;       ///< Difference by pixel, W/m2; 0 for pixels without a limit
    std::vector<double> std_error;  ///< Standard error of the difference, W/m2
};

/// Computes the corrections of all maps. cells: power per cell that the model predicts for the
/// traced aim points, W.
std::vector<MapCorrection> map_corrections(const FluxModel& model,
                                           const std::vector<LimitMap>& limits,
                                           const BitmapConfig& bitmap,
                                           const TracedField& traced,
                                           const std::vector<double>& cells);

/// Returns the limits of cells in W: a cell has the tightest limit of its pixels. Each limit is
/// lowered by its correction (none if empty), which applies to every aim point, by `back_off`
/// standard errors of the correction, and by `room` (W, by cell; none if empty). places: receives
/// the tightest pixel of each cell.
std::vector<double> cell_limits(const FluxModel& model,
                                const std::vector<LimitMap>& limits,
                                const BitmapConfig& bitmap,
                                const std::vector<MapCorrection>& corrections,
                                double back_off,
                                const std::vector<double>& room,
                                std::vector<LimitPlace>* places = nullptr);

/// Lowers the limits of pixels by the room of their cells (W, by cell).
void lower_limits(const FluxModel& model,
                  const BitmapConfig& bitmap,
                  const std::vector<double>& room,
                  std::vector<LimitMap>& limits);

/// Returns the traced power in the cells of the targets, W; 0 beyond their edges.
std::vector<double> traced_cells(const RunResult& traced,
                                 const Scenario& scenario,
                                 const BitmapConfig& bitmap,
                                 const FluxModel& model);

}  // namespace helioray::aiming
