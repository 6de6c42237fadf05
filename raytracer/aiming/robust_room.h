// SPDX-License-Identifier: MIT
// How far limits are lowered so that other aim errors keep them.
#pragma once

#include "raytracer/aiming/aim_errors.h"
#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/flux_model.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <vector>

namespace helioray::aiming {

/// Room below the limits of all cells for other draws of the aim errors.
struct RobustRoom {
    double factor = 0.0;            ///< standard deviations of each cell's flux
    std::vector<double> deviation;  ///< W, by cell: this standard deviation; empty without errors

    /// W, by cell; empty without errors.
    std::vector<double> watts() const;
};

/// Room for errors at the settings of these points. Aim errors are independent Gaussians, and the
/// flux follows them to first order. The model's images contain the tracking errors that the seed
/// draws, and settings make up for them. In another draw these are missing, and those of the draw
/// come in: they count twice, in squares.
///
/// The factor is aiming.robust_sigma, or, with aiming.robust_confidence, what keeps all cells of
/// the receiver below their limits in this fraction of drawn errors: a cell counts with what its
/// flux lacks to its limit beyond `factor_before` standard deviations.
/// limits: W, by cell, before the room is taken away.
RobustRoom robust_room(const RunConfig& config,
                       const Scenario& scenario,
                       const AimErrors& errors,
                       const FluxModel& model,
                       const std::vector<AimedPoint>& points,
                       const std::vector<Setting>& settings,
                       const std::vector<double>& limits,
                       double factor_before);

}  // namespace helioray::aiming
