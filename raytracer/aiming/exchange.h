// SPDX-License-Identifier: MIT
// Local search that exchanges candidate aim points in small fields.
#pragma once

#include "raytracer/aiming/optimize.h"

#include <cstdint>

namespace helioray::aiming {

/// Improves the solution of a small field in which every heliostat is off or aims at a point of a
/// lattice. Runs simulated annealing, followed by restarts from the best solution with some
/// heliostats moved at random. A restart lets each heliostat in turn take its best state while the
/// others stay, with a penalty on light above the limits that rises from sweep to sweep. The search
/// ends after `effort` times a fixed number of operations (an effort of 1 takes about one CPU
/// second). Returns true if it found settings within the limits (to within `tolerance`) with more
/// power than the solution; otherwise leaves the solution unchanged. Does nothing if the candidates
/// would take too much memory. Deterministic; seed: selects the sequence of pseudorandom numbers.
bool exchange(const AimProblem& problem,
              double tolerance,
              double effort,
              uint64_t seed,
              AimSolution& solution);

}  // namespace helioray::aiming
