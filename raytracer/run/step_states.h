// SPDX-License-Identifier: MIT
// States of heliostats in the steps of a series.
#pragma once

#include "raytracer/run/sun_steps.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <vector>

namespace helioray::run {

/// Sets the aims of each step if the table of states changes them. The steps have their aims of
/// aim.file, if there are any. Throws InputError for a time before all rows, for steps without a
/// time, and if a heliostat changes its target.
void set_states_of_steps(std::vector<LitStep>& steps,
                         const RunConfig& config,
                         const Scenario& scenario);

}  // namespace helioray::run
