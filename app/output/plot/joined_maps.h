// SPDX-License-Identifier: MIT
// Joins the flux maps of a receiver's panels to one picture.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <memory>
#include <vector>

namespace helioray {

/// Returns the maps of a result for pictures: those of targets that stand alone, and for receivers
/// the maps of panels side by side, from left to right, as one map of the unrolled surface. Panels
/// are joined if they have one height, one row of pixels and numbers after the same name
/// ("tower_panel_01"); the joined map has this name ("tower_panel") and the power of all. Other
/// surfaces have separate maps. `result` outlives the maps.
std::vector<std::shared_ptr<const TargetResult>> joined_maps(const RunResult& result);

}  // namespace helioray
