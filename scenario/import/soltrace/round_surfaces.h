// SPDX-License-Identifier: MIT
// Surfaces of revolution and concentrators as targets. Internal to the conversion.
#pragma once

#include "scenario/import/soltrace/conversion.h"

namespace helioray::soltrace {

/// Sets the target's shape to a conic, a cone or a concentrator with the element's front as the lit
/// face. Conics and cones have round apertures, conics that are mirrors also convex polygons. A
/// spline is a concentrator if its points lie on the parabola of one within 0.2 % of its exit
/// radius. is_mirror: a face of the element reflects. Returns false if the element cannot be
/// represented, which it reports.
bool convert_round(const Project& project,
                   const Element& element,
                   const Frame& frame,
                   bool is_mirror,
                   const Findings& findings,
                   Target& target);

}  // namespace helioray::soltrace
