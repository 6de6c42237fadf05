// SPDX-License-Identifier: MIT
// Directions, upright panels and names that several shapes of receivers use.
#pragma once

#include "scenario/types/types.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace helioray {

/// Returns the horizontal unit vector of a bearing, radians clockwise from north.
Vec3 bearing_direction(double bearing);

/// Returns the unit normal that faces a bearing and `tilt` radians below the horizon. Up in a plane
/// is the projection of world up, which does not exist for a horizontal plane: such a plane would
/// use north and lose its azimuth. Its normal is therefore tilted by 2e-6 rad, which flat_axes()
/// still resolves; an edge 10 m from the centre moves by 0.02 mm.
Vec3 tilted_normal(double bearing, double tilt);

/// Returns the upright rectangle between two vertical edges, for an observer who sees `left` on the
/// left and faces the lit side; only east and north of both points count.
PlanarTarget upright_panel(const Vec3& left, const Vec3& right, double bottom, double top);

/// Returns the points at `radius` from a vertical axis, from the left to the right end of an arc
/// whose middle faces `bearing`, as an observer outside sees them. The ends of a full turn are the
/// same point.
std::vector<Vec3> arc_points(
    const Vec3& center, double radius, double bearing, double arc, int64_t panels);

/// Returns "<receiver>_<part>_01", with as many digits as `count` needs, at least two; numbers
/// begin with 1.
std::string numbered_name(const std::string& receiver,
                          const std::string& part,
                          size_t number,
                          size_t count);

}  // namespace helioray
