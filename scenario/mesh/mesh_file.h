// SPDX-License-Identifier: MIT
// Reads triangle meshes: STL and PLY as text or binary, OBJ.
#pragma once

#include "scenario/types/targets/mesh_target.h"

#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// Returns the triangles of a file in their order; polygons become fans of triangles about their
/// first corner. The ending of the name (.stl, .obj, .ply) gives the format. Coordinates are
/// multiplied by `metres_per_unit`. Throws InputError with file, line or byte, and reason if the
/// file cannot be read, is damaged or has no triangle.
std::vector<MeshTriangle> read_mesh(const std::filesystem::path& file, double metres_per_unit);

/// Returns the triangles of the content of an STL file; `name` is the file for messages.
std::vector<MeshTriangle> parse_stl(const std::string& content, const std::string& name);
/// Returns the triangles of the content of an OBJ file.
std::vector<MeshTriangle> parse_obj(const std::string& content, const std::string& name);
/// Returns the triangles of the content of a PLY file.
std::vector<MeshTriangle> parse_ply(const std::string& content, const std::string& name);

}  // namespace helioray
