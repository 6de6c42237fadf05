// SPDX-License-Identifier: MIT
// A generated field, traced before and after its aim points are moved: for tests of displays.
#pragma once

#include "raytracer/solvers/aiming/aim_field.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <string>
#include <vector>

namespace helioray::test {

struct AimedField {
    Scenario scenario;
    RunConfig config;
    aiming::AimingResult result;
};

/// Heliostats aim at many heights, some are off; limits of 70 % of the first peak, prices and
/// rounds are made up. `settings` of the field's template ("layout.heliostats=40"); the field has
/// a second receiver, a plane, where `two_targets`.
AimedField aimed_field(const std::vector<std::string>& settings = {},
                       bool two_targets = false,
                       bool with_limits = true);

}  // namespace helioray::test
