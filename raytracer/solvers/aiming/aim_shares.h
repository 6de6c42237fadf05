// SPDX-License-Identifier: MIT
// Chooses aim points for a field that serves several targets with given fractions of the power
// (aiming.target_shares).
#pragma once

#include "raytracer/run/session.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace helioray::aiming {

/// Returns the configuration with these targets (target index by heliostat index). If the target of
/// a heliostat changes, its individual aim point is discarded.
RunConfig with_targets(const RunConfig& config,
                       const Scenario& scenario,
                       const std::map<size_t, size_t>& targets);

/// Adds the targets of these points to a map of target index by heliostat index.
void add_targets(const std::vector<AimedPoint>& points, std::map<size_t, size_t>& targets);

/// Chooses targets, then aim points with the strategy, traces them, and repeats with the traced
/// powers until the fractions are met. A later step of a series keeps the targets of the previous
/// step. Precondition: the configuration has target_shares. Otherwise like aim_field().
std::optional<AimingResult> aim_shares(run::Session& session,
                                       const RunConfig& config,
                                       const StepBefore* before);

}  // namespace helioray::aiming
