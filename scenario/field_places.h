// SPDX-License-Identifier: MIT
// Whether heliostats are located where a solar tower can use them.
#pragma once

#include "scenario/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Heliostats farther from their nearest target than this belong to no plant, metres: the largest
/// plants, with towers of 250 m, reach 2 km, and beyond 5 km the image of the sun is wider than
/// 46 m.
inline constexpr double kFarthestHeliostat = 5000.0;
/// Heliostats farther away than this many times the height of their target above them see it less
/// than 5 degrees above the horizon; the fields of built towers end at 6 to 8 heights.
inline constexpr double kHeightsOfField = 12.0;
/// Nothing is said about the height within this distance, metres: test rigs and furnaces have
/// horizontal beams.
inline constexpr double kSmallField = 500.0;
/// From here on positions are taken for map coordinates, metres.
inline constexpr double kMapDistance = 50000.0;

/// Returns remarks on heliostats that are outside of any plant, or too far out for the height of
/// the target nearest to them; at most one of each kind. Heliostats without components, which a
/// reader has passed over, do not count.
std::vector<std::string> unlikely_places(const Scenario& scenario);

}  // namespace helioray
