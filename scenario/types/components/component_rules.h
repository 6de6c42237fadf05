// SPDX-License-Identifier: MIT
// Conditions for facets and kinematics from all kinds of files.
#pragma once

#include "scenario/types/types.h"

namespace helioray {

/// Returns true if the two canting vectors of a facet span an area; zero and parallel ones do not.
bool spans_area(const Facet& facet);

/// Returns true if a number is a valid degree of a spline: whole numbers from 1 to 100.
bool is_spline_degree(double degree);

/// Returns the largest distance of a point of the facet's plane within its outline from its centre,
/// metres: the half diagonal of a rectangle.
double facet_reach(const Facet& facet);

/// Returns true if a spherical facet reaches no farther than the radius of its sphere; always true
/// for other shapes.
bool fits_its_sphere(const Facet& facet);

/// Returns true if the initial orientation is the one that all computations assume.
bool points_south(const Kinematics& kinematics);

}  // namespace helioray
