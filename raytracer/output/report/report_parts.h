// SPDX-License-Identifier: MIT
// Pieces of the report. Internal to this folder.
#pragma once

#include "raytracer/result.h"

#include <string>

namespace helioray {

/// report.css and report.js.
extern const char* const kReportStyle;
extern const char* const kReportScript;

/// What the script works on, as JSON that may stand inside a script element: quantities with
/// titles and meanings, targets with their plan, heliostats as columns (W, shares of 1, metres),
/// outlines seen from above, colours.
std::string report_data(const RunResult& result);

/// Figures of all targets: map with contours and both cuts, as pictures inside the page.
std::string flux_figures(const RunResult& result);

/// Solar power, losses and target power of the field as bars below each other.
std::string energy_waterfall(const RunResult& result);

}  // namespace helioray
