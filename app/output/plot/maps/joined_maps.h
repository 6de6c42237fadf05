// SPDX-License-Identifier: MIT
// Joins the flux maps of a receiver's panels to one picture.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace helioray {

/// Returns the maps of a result for pictures: those of targets that stand alone, and for receivers
/// the maps of panels side by side, from left to right, as one map of the unrolled surface. Panels
/// are joined if they have one height, one row of pixels and numbers after the same name
/// ("tower_panel_01"); the joined map has this name ("tower_panel") and the power of all. Other
/// surfaces have separate maps. `result` outlives the maps.
std::vector<std::shared_ptr<const TargetResult>> joined_maps(const RunResult& result);

/// Returns the targets of a result by the maps that joined_maps() makes of them, in its order: the
/// indices in RunResult::targets of the panels of each map, from left to right.
std::vector<std::vector<std::size_t>> joined_targets(const RunResult& result);

/// Joins the maps of panels in a row, which have the properties that joined_maps() demands.
TargetResult join_row(const std::vector<const TargetResult*>& parts);

}  // namespace helioray
