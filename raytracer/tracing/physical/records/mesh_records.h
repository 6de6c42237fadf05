// SPDX-License-Identifier: MIT
// Trees and planes of meshes for the kernels.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/mesh/build_mesh.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <memory>
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

/// The meshes of a field. Copies share the arrays.
class FieldMeshes {
  public:
    /// Adds a mesh with triangles and sets its number in the record of its surface. Throws
    /// InputError if the bitmaps have fewer pixels than the mesh has triangles, or a filter that
    /// spreads light over several pixels.
    void add(const MeshTarget& mesh, const BitmapConfig& bitmap, kernels::TargetRecord& shape);

    /// Returns the records of all meshes.
    const std::vector<kernels::MeshRecord>& records() const { return records_; }

  private:
    std::vector<std::shared_ptr<const MeshArrays>> arrays_;  ///< arrays to which records_ refer
    std::vector<kernels::MeshRecord> records_;
};

}  // namespace helioray::physical
