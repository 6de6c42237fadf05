// SPDX-License-Identifier: MIT
// WGS84 positions to the local east-north-up frame of a plant.
#pragma once

#include "scenario/types.h"

namespace helioray {

/// East, north, up in metres of `point` as seen from `origin`, by ARTIST's linearisation: longitude
/// and latitude differences times the radii of curvature at the point, earth's curvature ignored.
/// At 1.3 km from the origin it is about 0.13 m too high. The default for PAINT data, whose users
/// compare numbers.
Vec3 wgs84_to_enu_linear(const GeodeticPosition& point, const GeodeticPosition& origin);

/// The same exactly: through earth-centred coordinates, rotated into the tangent plane at `origin`.
Vec3 wgs84_to_enu_exact(const GeodeticPosition& point, const GeodeticPosition& origin);

}  // namespace helioray
