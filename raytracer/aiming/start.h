// SPDX-License-Identifier: MIT
// Where choosing begins: the configuration's aim points, or those of the step before.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/flux_model.h"
#include "raytracer/aiming/optimize.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::aiming {

/// The heliostats that a configuration turns on, with its own aim points: strategy center.
std::vector<AimedPoint> configured_points(const RunConfig& config, const Scenario& scenario);

/// The aim points of the configuration itself, as those of a step before without prices: where
/// they come from a file and the ways of aim points count from them (aiming.min_move_m). Nothing
/// otherwise.
std::optional<StepBefore> points_of_file(const RunConfig& config, const Scenario& scenario);

/// The plan of aim.file for these heliostats: those that it does not turn on are off; heliostats
/// with another target than in `points` make it no plan. Nothing without aim.file.
std::optional<std::vector<AimedPoint>> plan_of_file(const RunConfig& config,
                                                    const Scenario& scenario,
                                                    const std::vector<AimedPoint>& points);

/// Narrows ranges to aim points that drives can take: their motor limits and their reach with the
/// sun of the configuration. Returns by heliostat whether there is any; without one a range stays
/// as it is. Heliostats with motor positions are not asked.
std::vector<uint8_t> keep_in_reach(const RunConfig& config,
                                   const Scenario& scenario,
                                   const FluxModel& model,
                                   const std::vector<AimedPoint>& points,
                                   std::vector<Range2>& ranges);

/// Takes over the aim points of the step before, and narrows ranges to what is near enough to them;
/// where drives no longer take any such point, can_aim becomes 0. Heliostats with motor positions,
/// and those that were not available, stay as they are.
void begin_from(const StepBefore& before,
                const FluxModel& model,
                std::vector<AimedPoint>& points,
                std::vector<Range2>& ranges,
                std::vector<uint8_t>& can_aim);

/// Aim points that stay where new ones would be near (aiming.min_move_m), after begin_from(): those
/// of heliostats that were on and whose drives still take them. ranges, can_aim: of keep_in_reach()
/// and begin_from().
HeldAims held_aims(const RunConfig& config,
                   const StepBefore& before,
                   const std::vector<AimedPoint>& points,
                   const std::vector<Range2>& ranges,
                   const std::vector<uint8_t>& can_aim);

/// W per W, by cell, of prices by pixel; 0 where there are none.
std::vector<double> cell_prices(const std::vector<LimitMap>& limits,
                                const FluxModel& model,
                                const Scenario& scenario,
                                const BitmapConfig& bitmap);

}  // namespace helioray::aiming
