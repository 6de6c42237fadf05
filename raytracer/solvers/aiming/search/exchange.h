// SPDX-License-Identifier: MIT
// Local search that exchanges candidate aim points in small fields.
#pragma once

#include "raytracer/solvers/aiming/search/optimize.h"

#include <cstdint>

namespace helioray::aiming {

/// Extent and start of a search.
struct ExchangeOptions {
    double effort = 1.0;  ///< Fraction of a fixed number of operations, about 0.06 CPU seconds
    uint64_t seed = 0;    ///< Selects the sequence of pseudorandom numbers
    /// True to vary the solution, with a lower initial temperature, and to accept a result with
    /// less power than the solution.
    bool reheats = false;
};

/// Improves the solution of a small field in which every heliostat is off or aims at a point of a
/// lattice. Runs simulated annealing, followed by restarts from the best solution with some
/// heliostats moved at random. A restart lets each heliostat in turn take its best state while the
/// others stay, with a penalty on light above the limits that rises from sweep to sweep. Returns
/// true if it found settings within the limits (to within `tolerance`) with more power than the
/// solution; otherwise leaves the solution unchanged. Does nothing if the candidates would take too
/// much memory. Deterministic.
bool exchange(const AimProblem& problem,
              double tolerance,
              const ExchangeOptions& options,
              AimSolution& solution);

}  // namespace helioray::aiming
