// SPDX-License-Identifier: MIT
// Checks that need more than the configuration: they compare it with the scenario and with the
// abilities of the chosen model.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <cstdint>

namespace helioray {

/// Largest number of rays of all active heliostats together (model physical). With sums of 62 bits
/// each ray then has 17 bits, so that rounding stays below 4e-6 of the strongest ray.
inline constexpr int64_t kMostRaysOfField = int64_t{1} << 44;

/// Returns kMostRaysOfField divided among the given number of active heliostats (at least 1).
int64_t most_rays_per_heliostat(size_t heliostats);

/// Throws InputError with all problems: targets and heliostats that the scenario does not have
/// (with suggestions), active heliostats without a target, motor positions outside of the
/// actuators' range, a missing light source, more than kMostRaysOfField rays (a limit of
/// tracing.relative_error may be higher). Problems name the place in the configuration file.
void check_against_scenario(const RunConfig& config, const Scenario& scenario);

/// Throws InputError with every setting that this version or the chosen model cannot compute. No
/// requested setting is dropped silently; configs/README.md lists the settings that a model ignores
/// by design.
void check_supported(const RunConfig& config);

}  // namespace helioray
