// SPDX-License-Identifier: MIT
// Selects the active heliostats of a run with their targets and aim points, and computes the
// direction to the sun.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <array>
#include <optional>
#include <vector>

namespace helioray {

/// One active heliostat of a run.
struct Aim {
    size_t heliostat = 0;  ///< index in Scenario::heliostats
    size_t target = 0;     ///< index in Scenario::targets
    Vec3 point{};          ///< aim point, metres, ENU; not used if motor positions are set
    /// Motor positions that replace the aim point, steps (linear) or radians (ideal).
    std::optional<std::array<double, 2>> motor_positions;
};

/// Returns the active heliostats in the scenario's order. Settings of a single heliostat override
/// field-wide ones. The field-wide aim point applies to the field-wide target (to all targets if
/// there is no field-wide one). The default aim point is the target's default_aim_point(); for
/// model artist it is the one that all heliostats share. A heliostat that aims at a receiver gets
/// the absorbing surface that faces it, see facing_surface(), or the receiver's aim point and its
/// first absorbing surface. Throws InputError for unknown names and
/// for a heliostat without target.
std::vector<Aim> resolve_aims(const AimConfig& config,
                              const Scenario& scenario,
                              Model model = Model::physical);

/// Returns the unit vector to the sun, ENU. Throws InputError if the sun is not above the horizon
/// and for a series of positions.
Vec3 direction_to_sun(const SunConfig& config, const GeodeticPosition& plant);

/// Returns the configured sun shape, or that of the scenario's first light source.
const SunShape& effective_sun_shape(const SunConfig& config, const Scenario& scenario);

}  // namespace helioray
