// SPDX-License-Identifier: MIT
// Fraction of the sun's light that clouds let through to each heliostat.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Returns the fraction of the irradiance that each heliostat of the scenario receives, in its
/// order; 1 for heliostats that the configuration does not list, empty without clouds. Rows of a
/// table with times apply from their time to the next one. A map is moved by its velocity times the
/// time since its instant, and the sky is clear beyond it. `warnings` receives the number of
/// heliostats without a value in the file. sun: must have one position. Throws InputError for
/// heliostats that are not in the scenario and, if clouds change with time, for a position without
/// a time or before the table's first time.
std::vector<double> sunlit_shares(const SunConfig& sun,
                                  const Scenario& scenario,
                                  std::vector<std::string>& warnings);

}  // namespace helioray
