// SPDX-License-Identifier: MIT
// Upper bound on the power over all aim points.
#pragma once

#include "raytracer/solvers/aiming/search/optimize.h"

#include <vector>

namespace helioray::aiming {

/// Upper bound on the power of settings within the ranges under the limits, by weak duality: the
/// sum of limits times prices, plus the most that each heliostat brings when light costs its price.
struct PowerBound {
    double bound = 0.0;          ///< Upper bound, W
    std::vector<double> prices;  ///< Shadow prices of the limits, W per W, by cell, at least 0
    /// Best aim point of each heliostat at these prices; off if every aim point costs more than it
    /// brings.
    std::vector<Setting> answers;
};

/// Returns the bound at these prices.
PowerBound power_bound_at(const AimProblem& problem, const std::vector<double>& prices);

/// Returns the lowest bound found from `prices` and, if they give a better bound, from `others`
/// (none if empty). At most `steps` steps improve the prices as long as the gain is worth the time;
/// a problem that starts near its solution runs only the last ones. known: power that is already
/// reached, W. Always tries prices of 0, whose bound is the sum of the best single powers.
PowerBound power_bound(const AimProblem& problem,
                       double known,
                       int steps,
                       const std::vector<double>& prices,
                       const std::vector<double>& others = {});

}  // namespace helioray::aiming
