// SPDX-License-Identifier: MIT
// A power that no choice of aim points exceeds.
#pragma once

#include "raytracer/aiming/optimize.h"

#include <vector>

namespace helioray::aiming {

/// W. By weak duality no settings within the ranges bring more under the limits, whatever the
/// prices (0 or more): sum of limits times prices, plus what each heliostat brings at most when
/// light costs its price. Improves the prices in at most `steps` steps, as far as it is worth
/// while, the last ones alone for a problem that starts near; `known`: power (W) that is reached.
/// others: prices to begin from where they bound better; empty: none.
double power_bound(const AimProblem& problem,
                   double known,
                   int steps,
                   std::vector<double>& prices,
                   const std::vector<double>& others = {});

}  // namespace helioray::aiming
