// SPDX-License-Identifier: MIT
// Determines by how much limits are lowered so that they hold for other aim errors.
#pragma once

#include "raytracer/solvers/aiming/model/aim_errors.h"
#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "raytracer/solvers/aiming/model/flux_model.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <vector>

namespace helioray::aiming {

/// Room: the amount by which the limits of all cells are lowered to allow for other draws of the
/// aim errors.
struct RobustRoom {
    double factor = 0.0;  ///< Room in standard deviations of each cell's flux
    /// Standard deviation of each cell's power, W; empty without errors
    std::vector<double> deviation;

    /// Returns the room by cell, W; empty without errors.
    std::vector<double> watts() const;
};

/// Computes the room for aim errors at the settings of these points. Aim errors are independent
/// Gaussians, and the flux responds to them linearly. The model's images contain the tracking
/// errors drawn with the seed, and the settings compensate for them. In another draw these errors
/// are absent and others are present, so that the variance counts twice.
///
/// The factor is aiming.robust_sigma. With aiming.robust_confidence it is the number of standard
/// deviations that keeps all cells of the receiver below their limits in this fraction of drawn
/// errors; a cell counts with the distance of its flux from its limit beyond `factor_before`
/// standard deviations.
///
/// limits: limits before the room is subtracted, W, by cell.
RobustRoom robust_room(const RunConfig& config,
                       const Scenario& scenario,
                       const AimErrors& errors,
                       const FluxModel& model,
                       const std::vector<AimedPoint>& points,
                       const std::vector<Setting>& settings,
                       const std::vector<double>& limits,
                       double factor_before);

}  // namespace helioray::aiming
