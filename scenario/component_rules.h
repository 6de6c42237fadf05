// SPDX-License-Identifier: MIT
// What every facet and every kinematics must satisfy, whatever file it comes from.
#pragma once

#include "scenario/types.h"

namespace helioray {

/// Whether the two canting vectors of a facet span an area; zero and parallel ones do not.
bool spans_area(const Facet& facet);

/// Whether a number can be the degree of a spline: whole numbers from 1 to 100.
bool is_spline_degree(double degree);

/// Whether the half diagonal of a spherical facet is at most the radius of its sphere. True for
/// other shapes.
bool fits_its_sphere(const Facet& facet);

/// Whether the initial orientation is the one that all computations assume.
bool points_south(const Kinematics& kinematics);

}  // namespace helioray
