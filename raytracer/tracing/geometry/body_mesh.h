// SPDX-License-Identifier: MIT
// Surfaces of bodies as polygons, for pictures and exports.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/vector_math.h"

#include <vector>

namespace helioray {

/// The ends of a body as polygons, whose corners are joined by straight edges.
struct BodyEnds {
    std::vector<Vec3> bottom;  ///< corners, anticlockwise for an observer above; 48 of round bodies
    std::vector<Vec3> top;  ///< corners above those of the bottom; all equal at the tip of a cone
};

/// Returns the ends of a body. The corners of round bodies lie on their rims.
BodyEnds body_ends(const ObstacleConfig& body);

/// Returns the faces of the closed surface of a body as convex polygons: corners in metres, ENU,
/// anticlockwise for an observer outside. Faces share the corners of their common edges. The edges
/// of round bodies from end to end lie on their shells.
std::vector<std::vector<Vec3>> body_faces(const ObstacleConfig& body);

}  // namespace helioray
