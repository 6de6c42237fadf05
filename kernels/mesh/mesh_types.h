// SPDX-License-Identifier: MIT
// Triangles and boxes of a mesh in flat arrays that CPU and CUDA read alike. Plain data.
#pragma once

#include <cstdint>

namespace helioray::kernels {

/// Number of boxes of a node, and of triangles of a group: the lanes of AVX-512.
inline constexpr int kMeshWidth = 16;

/// Most nodes on the way from the root of a tree to a group, for up to 2^31 triangles. build_mesh()
/// divides triangles up to 32 times by a heuristic, and after that into halves; 29 times until each
/// part fits into a group.
inline constexpr int kMeshLevels = 32 + 29;

/// A node of the tree: up to kMeshWidth boxes side by side. Empty boxes have low above high.
struct alignas(64) MeshNode {
    float low[3][kMeshWidth];   ///< lowest corner of each box, metres
    float high[3][kMeshWidth];  ///< highest corner of each box, metres
    /// Content of each box: index of a node; or -1 - index of a group of triangles.
    int32_t content[kMeshWidth];
};

/// Up to kMeshWidth triangles side by side, which share up to kMeshWidth corners.
struct alignas(64) MeshGroup {
    float points[3][kMeshWidth];  ///< coordinates of the corners, metres; 0 where there is none
    /// Points of the first, second and third corners of the triangles. All 0 for missing triangles.
    uint8_t corners[3][kMeshWidth];
    int32_t triangle[kMeshWidth];  ///< index of the triangle in its mesh; -1: missing
};

/// A mesh in its own frame; pointers are host or device pointers of the backend that runs it.
struct MeshView {
    const MeshNode* nodes;    ///< the first one is the root
    const MeshGroup* groups;  ///< groups of triangles, to which nodes refer
    int32_t num_nodes;        ///< number of nodes, at least 1
    int32_t num_groups;       ///< number of groups
};

/// Sides of the triangles of a mesh on which light counts.
enum class MeshFront : int32_t {
    normals,   ///< the side from which the corners are seen counter-clockwise
    reversed,  ///< the other side
    both       ///< either side
};

/// A mesh that is a surface of a receiver. Its own frame has the axes of the shared one. Triangle k
/// is pixel k of the map of the surface.
struct MeshRecord {
    MeshView tree;        ///< boxes and triangles
    const float* planes;  ///< [num_triangles, 4]: unit normal n, and c of the plane n p = c, metres
    int32_t num_triangles;  ///< number of triangles
    MeshFront front;        ///< sides on which light counts
};

/// First hit of a ray on a mesh.
struct MeshHit {
    int32_t triangle;  ///< index of the triangle; -1: none
    float distance;    ///< distance along the ray, metres
    bool front;        ///< the corners of the triangle are counter-clockwise as the ray sees them
};

}  // namespace helioray::kernels
