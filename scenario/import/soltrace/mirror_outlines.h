// SPDX-License-Identifier: MIT
// Apertures of mirrors as rectangles with outlines. Internal to the conversion.
#pragma once

#include "scenario/import/soltrace/conversion.h"

#include <array>
#include <vector>

namespace helioray::soltrace {

/// A point or direction in the x-y plane of an element, metres.
using Vec2 = std::array<double, 2>;

/// A rectangle in the x-y plane of an element, metres, and the part of it that is the mirror.
struct MirrorRectangle {
    Vec2 center{};
    Vec2 x_axis{1, 0};  ///< unit vector along its width
    double width = 0.0;
    double height = 0.0;
    FacetOutline outline = {};
};

/// Returns the point at coordinates along the edges in units of the half extents.
Vec2 point_of(const MirrorRectangle& rectangle, double right, double up);

/// Returns true if coordinates along the edges, in units of the half extents, are on the mirror.
bool is_inside(const FacetOutline& outline, double right, double up);

/// Returns the largest distance of the mirror from the rectangle's centre, metres.
double reach_of(const MirrorRectangle& rectangle);

/// Returns the parts of an element's aperture, whose outlines are convex or round: one, two for a
/// quadrilateral that is not convex, or pieces of at most 5 degrees for a sector of an annulus,
/// with the area of the sector. Reports why there are none.
std::vector<MirrorRectangle> find_parts(const Element& element, const Findings& findings);

}  // namespace helioray::soltrace
