// SPDX-License-Identifier: MIT
// Where choosing begins: the configuration's aim points, or those of the step before.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/flux_model.h"
#include "raytracer/aiming/optimize.h"

#include <vector>

namespace helioray::aiming {

/// The heliostats that a configuration turns on, with its own aim points: strategy center.
std::vector<AimedPoint> configured_points(const RunConfig& config, const Scenario& scenario);

/// Takes over the aim points of the step before, and narrows ranges to what is in reach of them.
/// Heliostats with motor positions, and those that were not available, stay as they are.
void begin_from(const StepBefore& before,
                const FluxModel& model,
                std::vector<AimedPoint>& points,
                std::vector<Range2>& ranges);

/// W per W, by cell, of prices by pixel; 0 where there are none.
std::vector<double> cell_prices(const std::vector<LimitMap>& limits,
                                const FluxModel& model,
                                const Scenario& scenario,
                                const BitmapConfig& bitmap);

}  // namespace helioray::aiming
