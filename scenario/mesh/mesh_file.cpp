// SPDX-License-Identifier: MIT
// Reads mesh files by the ending of their name.
#include "scenario/mesh/mesh_file.h"

#include "scenario/files/error.h"
#include "scenario/mesh/mesh_text.h"

#include <fstream>
#include <iterator>

namespace helioray {

std::vector<MeshTriangle> read_mesh(const std::filesystem::path& file, double metres_per_unit) {
    const std::string name = file.string();
    const std::string ending = file.extension().string();
    const bool is_stl = mesh::equal_words(ending, ".stl");
    const bool is_obj = mesh::equal_words(ending, ".obj");
    if (!is_stl && !is_obj && !mesh::equal_words(ending, ".ply"))
        throw InputError(Problem{name,
                                 "is not a mesh",
                                 "the ending of the name gives the format",
                                 "give a file .stl, .obj or .ply"});
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file))
        throw InputError(Problem{name, "cannot be read", "", "check path and permissions"});
    const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::vector<MeshTriangle> triangles = is_stl   ? parse_stl(content, name)
                                          : is_obj ? parse_obj(content, name)
                                                   : parse_ply(content, name);
    if (triangles.empty())
        throw InputError(Problem{name, "has no triangle", "light needs a surface", ""});
    for (MeshTriangle& triangle : triangles)
        for (Vec3& corner : triangle) corner = scaled(metres_per_unit, corner);
    return triangles;
}

}  // namespace helioray
