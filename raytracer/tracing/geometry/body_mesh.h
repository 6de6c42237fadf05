// SPDX-License-Identifier: MIT
// Surfaces of bodies as polygons, for pictures and exports.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/vector_math.h"

#include <vector>

namespace helioray {

/// Returns the faces of the closed surface of a body as convex polygons: corners in metres, ENU,
/// anticlockwise for an observer outside. Faces share the corners of their common edges. A cylinder
/// is a prism whose edges lie on the cylinder.
std::vector<std::vector<Vec3>> body_faces(const ObstacleConfig& body);

}  // namespace helioray
