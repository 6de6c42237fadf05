// SPDX-License-Identifier: MIT
// Applies the states of heliostats to their aims: availability, targets and aim points.
#pragma once

#include "scenario/types/run_config.h"

#include <cstdint>
#include <string>

namespace helioray {

/// Returns the instant of a time (ISO 8601) for state_at(); any instant does for a table without
/// times. Throws InputError for a table with times if `time` is empty or before all of its rows.
std::int64_t state_instant(const StateConfig& state, const std::string& time);

/// Returns the aims in the state of an instant. The state's targets and aim points replace those of
/// the aims, with motor positions; heliostats that are not available are turned off, and no
/// heliostat is turned on.
AimConfig aims_with_state(AimConfig aim, const StateConfig& state, std::int64_t instant);

}  // namespace helioray
