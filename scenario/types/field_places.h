// SPDX-License-Identifier: MIT
// Checks if heliostats are at positions that a solar tower can use.
#pragma once

#include "scenario/types/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Largest plausible distance of a heliostat from its nearest target, metres: the largest plants,
/// with towers of 250 m, reach 2 km, and beyond 5 km the image of the sun is wider than 46 m.
inline constexpr double kFarthestHeliostat = 5000.0;
/// Largest plausible distance in multiples of the height of the target above the heliostat. Farther
/// heliostats see the target less than 5 degrees above the horizon; the fields of built towers end
/// at 6 to 8 heights.
inline constexpr double kHeightsOfField = 12.0;
/// The height is not checked within this distance, metres, because test rigs and furnaces have
/// horizontal beams.
inline constexpr double kSmallField = 500.0;
/// Positions beyond this distance are assumed to be map coordinates, metres.
inline constexpr double kMapDistance = 50000.0;

/// Returns remarks about heliostats that are outside any plant, or too far out for the height of
/// their nearest target; at most one of each kind. Ignores heliostats without components, which a
/// reader has skipped.
std::vector<std::string> unlikely_places(const Scenario& scenario);

}  // namespace helioray
