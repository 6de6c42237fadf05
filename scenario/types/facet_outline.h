// SPDX-License-Identifier: MIT
// Outlines of facets that are not rectangles.
#pragma once

#include "scenario/types/targets/outline.h"

#include <string>

namespace helioray {

/// Outline of a facet within the rectangle of its half extents: the whole rectangle, the ellipse
/// that fills it, or a convex polygon.
enum class FacetOutlineKind { rectangle, round, polygon };

/// Part of the rectangle of a facet that is a mirror. Coordinates are along its edges e and n in
/// units of the half extents, from -1 to 1; for a B-spline they are 2u - 1 and 2v - 1.
struct FacetOutline {
    FacetOutlineKind kind = FacetOutlineKind::rectangle;  ///< determines the valid members
    double hole = 0.0;  ///< semi-axes of the hole in those of the ellipse, [0, 1) (round)
    Outline corners;    ///< corners, counter-clockwise seen from the front (polygon)
    bool operator==(const FacetOutline&) const = default;
};

/// Returns the area of the outline divided by that of the rectangle.
double outline_fraction(const FacetOutline& outline);

/// Makes the corners counter-clockwise. Returns the first reason why an outline is not valid: a
/// hole outside [0, 1), or corners that are too few or too many, lie outside the rectangle or are
/// not convex.
std::optional<OutlineFault> make_valid(FacetOutline& outline);

/// Returns ", round", ", round with a hole" or ", polygon of 6 corners"; nothing for rectangles.
std::string describe_outline(const FacetOutline& outline);

}  // namespace helioray
