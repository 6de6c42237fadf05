// SPDX-License-Identifier: MIT
// Mirrors whose shape changes with the elevation of their normal.
#pragma once

#include "scenario/types/types.h"

#include <string>

namespace helioray {

/// Returns the facets of a mirror while its normal has an elevation (radians): those of the table,
/// linear between its rows in the curvature, the directions and lengths of the edges, the centres
/// and the control points, and those of the first or last row beyond them. Requires
/// Surface::is_bent().
Surface surface_at(const Surface& surface, double elevation);

/// Returns the problem of a mirror's facets by elevation: fewer than two rows, elevations outside
/// -pi/2 to pi/2 or not ascending, facets that differ from the mirror's in number, name, shape,
/// control points or outline. Empty if there is none.
std::string find_bending_problem(const Surface& surface);

}  // namespace helioray
