// SPDX-License-Identifier: MIT
// Upper bound on the traced power: the bound of the model plus a margin for model errors.
#pragma once

#include "raytracer/solvers/aiming/search/power_bound.h"
#include "raytracer/solvers/aiming/traced/field_model.h"
#include "raytracer/solvers/aiming/traced/trace_field.h"

#include <vector>

namespace helioray::aiming {

/// Upper bound on the power with a margin for model errors.
struct TracedBound {
    double bound = 0.0;          ///< Bound including the margin, W
    double margin = 0.0;         ///< Margin for model errors, W
    std::vector<double> prices;  ///< Shadow prices, W per W, by cell
};

/// Traced aim points.
struct TracedPlan {
    const std::vector<AimedPoint>& points;
    const std::vector<Setting>& settings;  ///< Settings that correspond to `points`
    const TracedField& traced;
    bool is_probed = true;  ///< If false, no images are traced again to determine the margin
};

/// Computes an upper bound on the power that aim points within the ranges bring in a trace under
/// the problem's limits, which apply to the true flux. prices, others: as in power_bound().
///
/// Each heliostat i brings at most V_i(s) = sum over cells of (w_c - p_c) F_ic(s), apart from the
/// cost of the limits. An error of the model F is also an error of V. The margin is the sum of
/// - in fields of up to 200 heliostats: the excess of freshly traced images over the model, at the
///   aim points of the bound and at those of the plan; heliostats with a deficit do not offset
///   others;
/// - the excess of the plan's trace over the model (blur of bins, blocking, random numbers);
/// - kBoundErrors standard errors of images and trace.
///
/// The margin is measured at these aim points; it is not proven for all others.
TracedBound traced_bound(FieldModel& model,
                         const AimProblem& problem,
                         const RunConfig& config,
                         const Scenario& scenario,
                         const TracedPlan& plan,
                         int steps,
                         const std::vector<double>& prices,
                         const std::vector<double>& others);

/// Number of standard errors of the images and the trace that the margin includes.
inline constexpr double kBoundErrors = 2.0;

}  // namespace helioray::aiming
