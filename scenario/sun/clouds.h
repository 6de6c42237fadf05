// SPDX-License-Identifier: MIT
// How much of the sun's light clouds let through to each heliostat.
#pragma once

#include "scenario/run_config.h"
#include "scenario/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Share of the irradiance that arrives at each heliostat of the scenario, in its order; 1 where
/// the configuration names no share, empty without clouds. A table with times counts from each of
/// them to the next one. A map is moved by its velocity times what has passed since its instant,
/// and the sky is clear beyond it. `warnings` receives how many heliostats the file has no share
/// for. sun: of one position. Throws InputError for heliostats that the
/// scenario lacks, and for a position without a time, or before the table's first one, where the
/// clouds change with it.
std::vector<double> sunlit_shares(const SunConfig& sun,
                                  const Scenario& scenario,
                                  std::vector<std::string>& warnings);

}  // namespace helioray
