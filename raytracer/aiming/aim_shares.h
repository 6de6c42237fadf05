// SPDX-License-Identifier: MIT
// Aim points of a field that several targets share (aiming.target_shares).
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/run/session.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace helioray::aiming {

/// The configuration with these targets (index by index of a heliostat); where that is another
/// target than before, an aim point of its own is forgotten.
RunConfig with_targets(const RunConfig& config,
                       const Scenario& scenario,
                       const std::map<size_t, size_t>& targets);

/// Notes the targets of these points, index by index of a heliostat.
void add_targets(const std::vector<AimedPoint>& points, std::map<size_t, size_t>& targets);

/// Chooses targets, then aim points by the strategy, traces, and chooses anew with what rays say
/// until the shares are met. A later step of a series keeps the targets of the step before.
/// Precondition: the configuration has target_shares. Otherwise as aim_field().
std::optional<AimingResult> aim_shares(run::Session& session,
                                       const RunConfig& config,
                                       const StepBefore* before);

}  // namespace helioray::aiming
