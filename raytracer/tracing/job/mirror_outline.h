// SPDX-License-Identifier: MIT
// The rectangle around a mirror's facets, which pictures and exports draw for a heliostat.
#pragma once

#include "raytracer/tracing/job/result.h"
#include "scenario/types/types.h"

#include <array>
#include <vector>

namespace helioray {

/// Returns the corners of the smallest rectangle that holds all facets of the surface, in metres in
/// the mirror frame, anticlockwise from (-e, -n) seen from above. The sides are parallel to the
/// frame's east and north axes, and the height is the mean of the facets' centres. Gaps between
/// facets do not appear.
std::array<Vec3, 4> mirror_outline(const Surface& surface);

/// Returns the mirror of a facet as flat convex polygons, which share no more than edges: corners
/// in metres in the mirror frame, anticlockwise seen from above. There is one, except for a ring.
std::vector<std::vector<Vec3>> facet_polygons(const Facet& facet);

/// Returns true if a facet of the surface is not a rectangle.
bool has_outlines(const Surface& surface);

/// Returns a point of the mirror frame in the field, metres, ENU.
Vec3 point_in_field(const HeliostatResult& heliostat, const Vec3& point);

/// Returns the origin of the mirror frame in the field (column 3 of the orientation), in metres,
/// ENU.
Vec3 mirror_origin(const HeliostatResult& heliostat);

/// Returns the corners of the outline in the field, in metres, ENU, anticlockwise for an observer
/// in front of the mirror. Requires mirror_outline.
std::array<Vec3, 4> outline_in_field(const HeliostatResult& heliostat);

}  // namespace helioray
