// SPDX-License-Identifier: MIT
// A power that no aim points exceed in a trace: the bound of the model, and how far it may be
// wrong.
#pragma once

#include "raytracer/aiming/field_model.h"
#include "raytracer/aiming/power_bound.h"
#include "raytracer/aiming/trace_field.h"

#include <vector>

namespace helioray::aiming {

/// The bound of the model with the margin for its errors.
struct TracedBound {
    double bound = 0.0;          ///< W, margin included
    double margin = 0.0;         ///< W
    std::vector<double> prices;  ///< W per W, by cell
};

/// Aim points that were traced.
struct TracedPlan {
    const std::vector<AimedPoint>& points;
    const std::vector<Setting>& settings;  ///< of the points
    const TracedField& traced;
    bool is_probed = true;  ///< false: no images are traced anew for the margin
};

/// Bounds the power that aim points within the ranges bring in a trace under the problem's limits,
/// which hold for the true flux. prices, others: as power_bound().
///
/// Every heliostat i brings at most V_i(s) = sum over cells of (w_c - p_c) F_ic(s) beside what the
/// limits cost. Where the model of F is wrong, so is V. The margin adds up
/// - in fields of up to 200 heliostats: what images traced anew bring beyond the model at the aim
///   points that the bound takes and at those of the plan, heliostats of which the model brings
///   more not counted against the others;
/// - what the trace of the plan has beyond the model (blur of bins, blocking, random numbers);
/// - kBoundErrors standard errors of images and trace.
/// It is measured at these aim points, not proven for all others.
TracedBound traced_bound(FieldModel& model,
                         const AimProblem& problem,
                         const RunConfig& config,
                         const Scenario& scenario,
                         const TracedPlan& plan,
                         int steps,
                         const std::vector<double>& prices,
                         const std::vector<double>& others);

/// Standard errors of the power of images and trace that are part of the bound.
inline constexpr double kBoundErrors = 2.0;

}  // namespace helioray::aiming
