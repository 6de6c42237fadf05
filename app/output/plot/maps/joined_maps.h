// SPDX-License-Identifier: MIT
// Joins the flux maps of a receiver's panels to one picture.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// Returns the maps of a result for pictures: those of targets that stand alone, and for receivers
/// the maps of panels side by side, from left to right, as one map of the unrolled surface. Panels
/// are joined if they have one height, one row of pixels and numbers after the same name
/// ("tower_panel_01"); the joined map has the name of its row and the power of all. Other surfaces
/// have separate maps. `result` outlives the maps.
std::vector<std::shared_ptr<const TargetResult>> joined_maps(const RunResult& result);

/// Targets whose maps become one map.
struct TargetRow {
    /// The name that the panels have in common, "tower_panel"; if several rows have it, with the
    /// numbers of the panels: "tower_panel_01 to 08". That of a single target is its own.
    std::string name;
    std::vector<std::size_t> targets;  ///< indices in RunResult::targets, from left to right
};

/// Returns the targets of a result by the maps that joined_maps() makes of them, in its order.
std::vector<TargetRow> joined_targets(const RunResult& result);

/// Joins the maps of panels in a row, which have the properties that joined_maps() demands. The
/// joined map has the name of one of them.
TargetResult join_row(const std::vector<const TargetResult*>& parts);

}  // namespace helioray
