// SPDX-License-Identifier: MIT
// Initial aim points of the optimisation: the configuration's aim points, or those of the previous
// step.
#pragma once

#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "raytracer/solvers/aiming/model/flux_model.h"
#include "raytracer/solvers/aiming/search/optimize.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::aiming {

/// Returns the index in Scenario::receivers of the receiver that section aim names for a heliostat,
/// or nullopt if it names a target or a surface.
std::optional<size_t> find_aimed_receiver(const RunConfig& config,
                                          const Scenario& scenario,
                                          size_t heliostat);

/// Returns the active heliostats of a configuration with the aim points of strategy center.
std::vector<AimedPoint> configured_points(const RunConfig& config, const Scenario& scenario);

/// Returns the configuration's aim points as a previous step without prices, if they come from a
/// file and moves are measured from them (aiming.min_move_m). Returns nullopt otherwise.
std::optional<StepBefore> points_of_file(const RunConfig& config, const Scenario& scenario);

/// Returns the aim points of aim.file for these heliostats. Heliostats that the file does not
/// activate are off. Returns nullopt without aim.file, or if a heliostat has another target there
/// than in `points`.
std::optional<std::vector<AimedPoint>> plan_of_file(const RunConfig& config,
                                                    const Scenario& scenario,
                                                    const std::vector<AimedPoint>& points);

/// Narrows the ranges to aim points that the drives can reach, given their motor limits and the
/// configured sun position. Returns per heliostat whether such points exist; if not, its range is
/// unchanged. Skips heliostats with motor positions.
std::vector<uint8_t> keep_in_reach(const RunConfig& config,
                                   const Scenario& scenario,
                                   const FluxModel& model,
                                   const std::vector<AimedPoint>& points,
                                   std::vector<Range2>& ranges);

/// Copies the aim points of the previous step, and narrows the ranges to points within the allowed
/// move. If the drives cannot reach any of these, sets can_aim to 0. Heliostats with motor
/// positions, and those that were not available, are unchanged.
void begin_from(const StepBefore& before,
                const FluxModel& model,
                std::vector<AimedPoint>& points,
                std::vector<Range2>& ranges,
                std::vector<uint8_t>& can_aim);

/// Returns the aim points that are kept if new ones would be close to them (aiming.min_move_m):
/// those of heliostats that were on and whose drives can still reach them. Call it after
/// begin_from(). ranges, can_aim: output of keep_in_reach() and begin_from().
HeldAims held_aims(const RunConfig& config,
                   const StepBefore& before,
                   const std::vector<AimedPoint>& points,
                   const std::vector<Range2>& ranges,
                   const std::vector<uint8_t>& can_aim);

/// Converts prices per pixel to prices per cell, W per W; cells without a price get 0.
std::vector<double> cell_prices(const std::vector<LimitMap>& limits,
                                const FluxModel& model,
                                const Scenario& scenario,
                                const BitmapConfig& bitmap);

}  // namespace helioray::aiming
