// SPDX-License-Identifier: MIT
// Converts the triangles of a mesh to the kernels' arrays.
#include "raytracer/tracing/physical/records/mesh_records.h"

#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace helioray::physical {

kernels::MeshRecord MeshArrays::record() const {
    return {tree.view(), planes.data(), static_cast<int32_t>(planes.size() / 4), front};
}

namespace {

/// Throws InputError if the maps have fewer pixels than the mesh has triangles, or a filter that
/// spreads light over several pixels.
void require_pixels_of_triangles(const MeshTarget& mesh, const BitmapConfig& bitmap) {
    const auto triangles = static_cast<int64_t>(num_triangles(mesh));
    if (bitmap.filter != Filter::box)
        throw InputError(Problem{"bitmap.filter",
                                 "is bilinear, but a surface is a mesh",
                                 "its pixels are triangles, between which no light is spread",
                                 "set bitmap.filter: box"});
    if (triangles <= bitmap.width * bitmap.height) return;
    throw InputError(
        Problem{"bitmap",
                fmt::format("the maps of {} x {} pixels have fewer pixels than a mesh has "
                            "triangles, {}",
                            bitmap.width,
                            bitmap.height,
                            triangles),
                "each triangle has a pixel of its own",
                fmt::format("set bitmap: {{width: {0}, height: {0}}}, or give a coarser mesh",
                            pixels_along_side(mesh))});
}

/// Returns the arrays of a mesh with triangles.
MeshArrays make_mesh_arrays(const MeshTarget& mesh) {
    if (!mesh.triangles) throw std::invalid_argument("the mesh has no triangles");
    MeshArrays made;
    std::vector<kernels::MeshCorners> corners;
    corners.reserve(mesh.triangles->size());
    made.planes.reserve(4 * mesh.triangles->size());
    for (const MeshTriangle& triangle : *mesh.triangles) {
        kernels::MeshCorners& rounded = corners.emplace_back();
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) rounded[i][k] = static_cast<float>(triangle[i][k]);
        const Vec3 across =
            cross(subtract(triangle[1], triangle[0]), subtract(triangle[2], triangle[0]));
        // No ray meets a triangle without area.
        const Vec3 normal = norm(across) > 0.0 ? normalized(across) : Vec3{0.0, 0.0, 1.0};
        for (const double component : normal) made.planes.push_back(static_cast<float>(component));
        made.planes.push_back(static_cast<float>(dot(normal, triangle[0])));
    }
    made.tree = kernels::build_mesh(corners);
    switch (mesh.front) {
        case MeshTarget::Front::normals:
            made.front = kernels::MeshFront::normals;
            break;
        case MeshTarget::Front::reversed:
            made.front = kernels::MeshFront::reversed;
            break;
        case MeshTarget::Front::both:
            made.front = kernels::MeshFront::both;
            break;
    }
    return made;
}

}  // namespace

void FieldMeshes::add(const MeshTarget& mesh,
                      const BitmapConfig& bitmap,
                      kernels::TargetRecord& shape) {
    require_pixels_of_triangles(mesh, bitmap);
    arrays_.push_back(std::make_shared<const MeshArrays>(make_mesh_arrays(mesh)));
    shape.mesh = static_cast<int32_t>(records_.size());
    records_.push_back(arrays_.back()->record());
}

}  // namespace helioray::physical
