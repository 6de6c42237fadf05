// SPDX-License-Identifier: MIT
// Aims: the active heliostats of a run with their targets and aim points, and the
// direction of the sun.
#pragma once

#include "scenario/run_config.h"
#include "scenario/types.h"

#include <array>
#include <optional>
#include <vector>

namespace helioray {

/// One active heliostat of a run.
struct Aim {
    size_t heliostat = 0;  ///< index in Scenario::heliostats
    size_t target = 0;     ///< index in Scenario::targets
    Vec3 point{};          ///< metres, ENU; with motor positions only informative
    /// Instead of aiming at the point; steps (linear) or radians (ideal).
    std::optional<std::array<double, 2>> motor_positions;
};

/// Active heliostats in the scenario's order. Per-heliostat settings go before field-wide ones; the
/// field-wide aim point is that of the field-wide target (of all targets where there is no
/// field-wide one), the default aim point is the target's default_aim_point, for model artist the
/// one that all heliostats share. Throws InputError for unknown names or a heliostat without
/// target.
std::vector<Aim> resolve_aims(const AimConfig& config,
                              const Scenario& scenario,
                              Model model = Model::physical);

/// Unit vector to the sun, ENU. Throws InputError when the sun is not above the horizon, and for a
/// series of positions.
Vec3 direction_to_sun(const SunConfig& config, const GeodeticPosition& plant);

/// The configured sun shape, or the scenario's first light source.
const SunShape& effective_sun_shape(const SunConfig& config, const Scenario& scenario);

}  // namespace helioray
