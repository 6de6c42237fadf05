// SPDX-License-Identifier: MIT
// Solves the optimisation problem locally. Internal to this folder.
#pragma once

#include "raytracer/solvers/aiming/search/optimize.h"

namespace helioray::aiming {

/// Minimises the augmented Lagrangian from the solution's settings and prices in several rounds,
/// with used fractions that vary between 0 and 1 (`free_shares`) or with fixed fractions. Returns
/// the largest excess over a limit, as a fraction of the limit.
double minimise_lagrangian(const AimProblem& problem,
                           double tolerance,
                           AimSolution& solution,
                           bool free_shares,
                           int rounds);

}  // namespace helioray::aiming
