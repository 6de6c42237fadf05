// SPDX-License-Identifier: MIT
// A power that no choice of aim points exceeds.
#pragma once

#include "raytracer/aiming/optimize.h"

#include <vector>

namespace helioray::aiming {

/// A power that no settings within the ranges exceed under the limits, by weak duality: the sum of
/// limits times prices, plus what each heliostat brings at most when light costs its price.
struct PowerBound {
    double bound = 0.0;          ///< W
    std::vector<double> prices;  ///< W per W, by cell; 0 or more
    /// The aim point of each heliostat at which it brings most at these prices; off where every
    /// one costs more than it brings.
    std::vector<Setting> answers;
};

/// Returns the bound at these prices.
PowerBound power_bound_at(const AimProblem& problem, const std::vector<double>& prices);

/// Returns the lowest bound that is found from `prices` and, where they bound better, from `others`
/// (empty: none): at most `steps` steps improve the prices as far as it is worth while, the last
/// ones alone for a problem that starts near. known: power (W) that is reached. The bound at prices
/// of 0, the sum of the best single powers, is among those that are tried.
PowerBound power_bound(const AimProblem& problem,
                       double known,
                       int steps,
                       const std::vector<double>& prices,
                       const std::vector<double>& others = {});

}  // namespace helioray::aiming
