// SPDX-License-Identifier: MIT
// Aim points of small fields by exchanges between candidates.
#pragma once

#include "raytracer/aiming/optimize.h"

namespace helioray::aiming {

/// Improves the solution of a small field: heliostats are off or aim at one of the points of a
/// lattice, and one after the other takes the state that is best while the others stay, at a price
/// of light above the limits that rises from sweep to sweep. Restarts from solutions of which some
/// heliostats were moved at random or exchanged follow, as many as a fixed number of operations
/// allows. Returns whether it found settings within the limits (to within `tolerance`) that bring
/// more than those of the solution; otherwise leaves it as it is. Does nothing for fields whose
/// candidates would take too much memory. The same problem gives the same solution.
bool exchange(const AimProblem& problem, double tolerance, double effort, AimSolution& solution);

}  // namespace helioray::aiming
