// SPDX-License-Identifier: MIT
// What became of a heliostat's light, from its integer sums.
#pragma once

#include "raytracer/result.h"

#include <cstdint>

namespace helioray::physical {

/// sums: kNumEnergySums of the rays that were traced; solar_quanta: what all of them would carry if
/// the mirror faced the sun. Differences are taken between integers, so that the terms add up
/// before they become watts.
EnergyTerms energy_terms(const int64_t* sums, int64_t solar_quanta, double watts_per_quantum);

}  // namespace helioray::physical
