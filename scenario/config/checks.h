// SPDX-License-Identifier: MIT
// What reading the configuration alone cannot tell: does it fit the scenario, can this version do
// it?
#pragma once

#include "scenario/run_config.h"
#include "scenario/types.h"

namespace helioray {

/// Throws InputError with every problem: targets and heliostats that the scenario does not have
/// (with suggestions), active heliostats without a target, motor positions outside of the
/// actuators' range, no light source where one is needed. Places are those of the configuration
/// file.
void check_against_scenario(const RunConfig& config, const Scenario& scenario);

/// Throws InputError with every setting that this version, or the chosen model, cannot compute.
/// Nothing that was asked for is left out silently; settings that a model ignores by design are
/// listed in configs/README.md.
void check_supported(const RunConfig& config);

}  // namespace helioray
