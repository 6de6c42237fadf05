// SPDX-License-Identifier: MIT
// Views of meshes as flat maps, in which pictures show them.
#pragma once

#include "raytracer/tracing/job/result.h"

namespace helioray {

/// Returns true if the target is a mesh with triangles.
bool is_mesh(const TargetResult& target);

/// Returns a view of the flux on a mesh as the map of a plane in front of it: from the side of its
/// light, along the horizontal unless the light comes from above or below. Pixels beside the mesh
/// and on the backs of triangles are NaN.
TargetResult make_mesh_view(const TargetResult& target);

}  // namespace helioray
