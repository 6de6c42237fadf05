// SPDX-License-Identifier: MIT
// The rectangle around a mirror's facets: how pictures and exports draw a heliostat.
#pragma once

#include "raytracer/job/result.h"
#include "scenario/types.h"

#include <array>

namespace helioray {

/// Corners of the smallest rectangle along the mirror frame's east and north that holds all facets
/// of the surface, at the mean height of the facets' centres: metres, mirror frame, anticlockwise
/// from (-e, -n) seen from above. Gaps between facets are not shown.
std::array<Vec3, 4> mirror_outline(const Surface& surface);

/// Origin of the mirror frame in the field (column 3 of the orientation): metres, ENU.
Vec3 mirror_origin(const HeliostatResult& heliostat);

/// The corners of the outline in the field, metres, ENU; anticlockwise for an observer in front of
/// the mirror. Requires mirror_outline.
std::array<Vec3, 4> outline_in_field(const HeliostatResult& heliostat);

}  // namespace helioray
