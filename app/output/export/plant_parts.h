// SPDX-License-Identifier: MIT
// Bodies and rays in VTK's XML files.
#pragma once

#include "app/output/export/export_files.h"

#include <string>
#include <vector>

namespace helioray {

/// Returns a file with the closed surfaces of bodies.
std::string bodies_vtp(const std::vector<ObstacleConfig>& bodies);

/// Returns a file with the triangles of the ground, as Terrain divides its cells.
std::string terrain_vtp(const Terrain& terrain);

/// Returns a file with the facets of all mirrors as polygons, or nothing if all are rectangles or
/// the mirrors are not known.
std::string facets_vtp(const RunResult& result, const PlantParts& parts);

/// Returns a file with the rays of `parts` as lines from the side of the sun over the mirror and
/// the surfaces that reflect them to their ends. Shaded rays end before their mirror.
std::string rays_vtp(const RunResult& result, const PlantParts& parts);

}  // namespace helioray
