// SPDX-License-Identifier: MIT
// Surfaces of bodies as polygons, for pictures and exports.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/vector_math.h"

#include <vector>

namespace helioray {

/// A body as a prism.
struct BodyPrism {
    std::vector<Vec3> bottom;  ///< corners, anticlockwise for an observer above; 48 of round bodies
    Vec3 along;                ///< from the corners of the bottom to those of the top
};

/// Returns the prism of a body. The edges of that of a cylinder lie on the cylinder.
BodyPrism body_prism(const ObstacleConfig& body);

/// Returns the faces of the closed surface of a body as convex polygons: corners in metres, ENU,
/// anticlockwise for an observer outside. Faces share the corners of their common edges. A cylinder
/// is a prism whose edges lie on the cylinder.
std::vector<std::vector<Vec3>> body_faces(const ObstacleConfig& body);

}  // namespace helioray
