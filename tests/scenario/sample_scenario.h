// SPDX-License-Identifier: MIT
// Scenarios built in code: a plain one that ARTIST can read, and one with every feature.
#pragma once

#include "scenario/types/types.h"

#include <string>

namespace helioray::test {

/// Two rigid-body heliostats ("h1" all from prototypes, "h2" with individual components), a planar
/// and a cylindrical target, one Gaussian sun. No warnings on reading.
Scenario plain_scenario();

// Groups in the scenario file of plain_scenario().
inline const std::string kWallPath = "/target_areas_planar/wall/";
inline const std::string kReceiverPath = "/target_areas_cylindrical/receiver/";
inline const std::string kH2Path = "/heliostats/h2/";

/// Adds both kinematics, both actuators, every facet shape, every sun shape, tilted and horizontal
/// planes, a full inner cylinder.
Scenario rich_scenario();

/// plain_scenario() whose first mirror has a round facet with a hole, a polygon and a rectangle,
/// and three elevations at which it has other focal lengths, canting and control points.
Scenario outlined_scenario();

}  // namespace helioray::test
