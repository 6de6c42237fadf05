// SPDX-License-Identifier: MIT
// Builds the tree of boxes of a mesh, on one thread.
#pragma once

#include "kernels/mesh/mesh_types.h"

#include <array>
#include <span>
#include <vector>

namespace helioray::kernels {

/// Corners of a triangle, metres in the frame of its mesh.
using MeshCorners = std::array<std::array<float, 3>, 3>;

/// Tree and triangles of a mesh.
struct MeshTree {
    std::vector<MeshNode> nodes;    ///< MeshView::nodes
    std::vector<MeshGroup> groups;  ///< MeshView::groups

    /// Returns pointers to the arrays, and their sizes.
    MeshView view() const {
        return {nodes.data(),
                groups.data(),
                static_cast<int32_t>(nodes.size()),
                static_cast<int32_t>(groups.size())};
    }
};

/// Builds the tree with the surface area heuristic over bins. Triangles without area are left out,
/// because no ray meets them. The result depends only on the triangles.
MeshTree build_mesh(std::span<const MeshCorners> triangles);

}  // namespace helioray::kernels
