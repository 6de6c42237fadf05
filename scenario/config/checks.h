// SPDX-License-Identifier: MIT
// Checks that need more than the configuration: whether it fits the scenario, and whether the
// chosen model can compute it.
#pragma once

#include "scenario/run_config.h"
#include "scenario/types.h"

#include <cstddef>
#include <cstdint>

namespace helioray {

/// Most rays of all active heliostats together (model physical): sums of 62 bits then still leave
/// each ray 17, so that rounding stays below 4e-6 of the strongest ray.
inline constexpr int64_t kMostRaysOfField = int64_t{1} << 44;

/// The share of kMostRaysOfField of each of so many active heliostats (at least 1).
int64_t most_rays_per_heliostat(size_t heliostats);

/// Throws InputError with every problem: targets and heliostats that the scenario does not have
/// (with suggestions), active heliostats without a target, motor positions outside of the
/// actuators' range, no light source where one is needed, more than
/// kMostRaysOfField rays (a limit of tracing.relative_error may be higher). Places are those of the
/// configuration file.
void check_against_scenario(const RunConfig& config, const Scenario& scenario);

/// Throws InputError with every setting that this version, or the chosen model, cannot compute.
/// Nothing that was asked for is left out silently; settings that a model ignores by design are
/// listed in configs/README.md.
void check_supported(const RunConfig& config);

}  // namespace helioray
