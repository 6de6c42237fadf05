// SPDX-License-Identifier: MIT
// Mirrors whose shape changes with the elevation of their normal or with the temperature.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/types.h"

#include <array>
#include <string>
#include <vector>

namespace helioray {

/// All axes, in the order in which files are searched for them.
inline constexpr std::array kBendingAxes{BendingAxis::elevation, BendingAxis::temperature};

/// Returns the facets of a bent mirror at a value of its axis (radians or degrees Celsius): those
/// of the table, linear between its rows in the curvature, the directions and lengths of the edges,
/// the centres and the control points, and those of the first or last row beyond them. Requires
/// Surface::is_bent().
Surface surface_at(const Surface& surface, double value);

/// Returns the problem of a bent mirror's table: fewer than two rows, elevations outside -pi/2 to
/// pi/2, temperatures outside kTemperatures, values that do not ascend, facets that differ from the
/// mirror's in number, name, shape, control points or outline. Empty if there is none.
std::string find_bending_problem(const Surface& surface);

/// Returns why methods for rigid mirrors with rectangular facets cannot describe a mirror: it is
/// bent, or a facet has another outline. Empty if they can.
std::string find_rigidity_problem(const Surface& surface);

/// Returns the first heliostat whose mirror changes its shape with the temperature, or null.
const Heliostat* find_bent_by_temperature(const std::vector<Heliostat>& heliostats);

/// Returns the problem of a run that does not know the temperature of the air, although the shape
/// of a heliostat's mirror changes with it. heliostat: its name.
Problem missing_temperature(const std::string& heliostat);

}  // namespace helioray
