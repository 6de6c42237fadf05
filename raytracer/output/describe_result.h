// SPDX-License-Identifier: MIT
// What a result file contains, as text.
#pragma once

#include "raytracer/result.h"

#include <cstddef>
#include <string>

namespace helioray {

/// Tables of provenance, targets, energy and heliostats, at most 100 columns wide but for paths.
/// At most `max_heliostats` heliostats are listed, those with the most power first; 0 lists all.
/// Ends with a line feed.
std::string describe_result(const RunResult& result, std::size_t max_heliostats = 20);

}  // namespace helioray
