// SPDX-License-Identifier: MIT
// Aim points of small fields by exchanges between candidates.
#pragma once

#include "raytracer/aiming/optimize.h"

namespace helioray::aiming {

/// Improves the solution of a small field, where every heliostat is off or aims at one of the
/// points of a lattice: simulated annealing, then restarts from the best solution of which some
/// heliostats are moved at random. In these, one heliostat after the other takes the state that is
/// best while the others stay, at a price of light above the limits that rises from sweep to sweep.
/// `effort` times a fixed number of operations is the end (an effort of 1 takes about a CPU
/// second). Returns true if it found settings within the limits (to within `tolerance`) that bring
/// more than those of the solution; otherwise leaves it as it is. Does nothing for fields whose
/// candidates would take too much memory. The same problem gives the same solution.
bool exchange(const AimProblem& problem, double tolerance, double effort, AimSolution& solution);

}  // namespace helioray::aiming
