// SPDX-License-Identifier: MIT
// Outlines of bodies seen from above.
#pragma once

#include "scenario/types/run_config.h"

#include <array>
#include <vector>

namespace helioray {

/// Returns the outline of an obstacle seen from above: corners in metres east and north,
/// anticlockwise. Round bodies have 48 corners.
std::vector<std::array<double, 2>> footprint(const ObstacleConfig& obstacle);

}  // namespace helioray
