// SPDX-License-Identifier: MIT
// From integer sums to watts: flux maps, standard errors and energy terms.
#pragma once

#include "raytracer/physical/field.h"
#include "raytracer/physical/plan.h"
#include "raytracer/physical/sums.h"
#include "raytracer/result.h"

namespace helioray::physical {

/// Fills targets, heliostats and the number of rays of the result from sums of one or more complete
/// rounds. Targets that no heliostat aims at are left out.
RunResult flux_maps(const Scenario& scenario,
                    const Field& field,
                    const SumsLayout& layout,
                    const int64_t* sums);

}  // namespace helioray::physical
