// SPDX-License-Identifier: MIT
// The most power under limits on cells, and a bound that no choice of aim points exceeds.
#pragma once

#include "raytracer/aiming/flux_model.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace helioray::aiming {

/// Where aim points may be.
struct Range2 {
    SurfacePoint low, high;  ///< equal where the heliostat cannot move
};

/// What is sought: the most power on the lit cells, or a wanted map, with no cell above its limit.
struct AimProblem {
    const FluxModel* model = nullptr;
    std::vector<Range2> ranges;  ///< by heliostat
    std::vector<double> limits;  ///< W, by cell; infinity where there is none
    /// W, by cell: come as close to these as possible, in mean square; empty: the power counts.
    std::vector<double> wanted;
};

/// Aim points and what is known about them.
struct AimSolution {
    std::vector<Setting> settings;
    std::vector<double> prices;  ///< W per W by cell: what a higher limit would bring
    int64_t iterations = 0;
};

/// Improves the solution, which starts from its settings and prices: augmented Lagrangian in the
/// limits, projected L-BFGS in the aim points. A heliostat that costs more than it brings is used
/// in part or turned off; in the end every one is on or off. The limits hold to within `tolerance`
/// of them, unless only turning everything off would help.
void solve(const AimProblem& problem, double tolerance, AimSolution& solution);

/// W. By weak duality no settings within the ranges bring more under the limits, whatever the
/// prices (0 or more): sum of limits times prices, plus what each heliostat brings at most when
/// light costs its price. Improves the prices as far as it is worth while; `known`: power (W) that
/// is reached, infinity to leave them as they are.
double power_bound(const AimProblem& problem, double known, std::vector<double>& prices);

}  // namespace helioray::aiming
