// SPDX-License-Identifier: MIT
// Trees and planes of meshes for the kernels.
#pragma once

#include "kernels/mesh/build_mesh.h"
#include "scenario/types/types.h"

#include <cstdint>
#include <vector>

namespace helioray::physical {

/// Arrays of a mesh to which its record refers.
struct MeshArrays {
    kernels::MeshTree tree;                                  ///< boxes and triangles
    std::vector<float> planes;                               ///< see MeshRecord::planes
    kernels::MeshFront front = kernels::MeshFront::normals;  ///< sides on which light counts

    /// Returns the record, which is valid as long as the arrays.
    kernels::MeshRecord record() const;
};

/// Returns the arrays of a mesh with triangles.
MeshArrays make_mesh_arrays(const MeshTarget& mesh);

}  // namespace helioray::physical
