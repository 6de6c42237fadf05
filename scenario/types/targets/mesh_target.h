// SPDX-License-Identifier: MIT
// A triangle mesh as target.
#pragma once

#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Corners of a triangle, counter-clockwise for an observer who faces its front.
using MeshTriangle = std::array<Vec3, 3>;

/// File of a mesh and its place, as a configuration gives them.
struct MeshSource {
    std::string file;              ///< name of the file, relative to the configuration's folder
    double metres_per_unit = 1.0;  ///< length of the file's unit, metres
    /// Turns about the axes to the east, to the north and up, in this order, radians.
    Vec3 turns{};
    Vec3 place{};  ///< place of the file's origin, metres
    bool operator==(const MeshSource&) const = default;
};

/// Triangles of any body. Each has a flux of its own: pixel k of the bitmap, counted row by row
/// from the upper left, is triangle k. Pixels after the last triangle receive nothing.
struct MeshTarget {
    /// Side on which light counts: that of the triangles' normals, whose corners an observer sees
    /// counter-clockwise, the other one, or both.
    enum class Front { normals, reversed, both };

    Vec3 center{};  ///< middle of the box around all triangles, metres, ENU
    /// Unit vector of the mean normal of the front by area; up for a closed body, which has none.
    Vec3 normal{0, 0, 1};
    double side = 0.0;             ///< side of the square with the area of all triangles, metres
    Front front = Front::normals;  ///< side on which light counts
    /// Corners of the triangles from the centre, metres, ENU. Null where only numbers of a target
    /// are stored.
    std::shared_ptr<const std::vector<MeshTriangle>> triangles = {};
    MeshSource source = {};  ///< source in a configuration; empty for meshes of other files
    /// Returns true if the triangles are equal, too, wherever they are stored.
    bool operator==(const MeshTarget& other) const;

    static constexpr const char* kKind = "mesh";  ///< name of the kind in result files
    /// Name of the group in scenario files.
    static constexpr const char* kGroup = "target_areas_mesh";
    static constexpr bool kIsFlat = false;       ///< see PlanarTarget
    static constexpr bool kStandsAlone = false;  ///< only surfaces of receivers have this shape

    /// Visits all members except the triangles, which files store as an array, see TargetMember.
    template <typename Shape, typename Visit>
    static void members(Shape& shape, Visit&& visit) {
        using Kind = TargetMember::Kind;
        visit(TargetMember{"center", "center", Kind::point}, shape.center);
        visit(TargetMember{"normal", "normal", Kind::direction}, shape.normal);
        visit(TargetMember{"side", "side", Kind::length}, shape.side);
        visit(TargetMember{"front", "front", Kind::choice}, shape.front);
    }
};

/// Name of the array of triangles in scenario and result files.
inline constexpr const char* kTrianglesName = "triangles";

/// Returns the mesh of triangles in ENU, metres: with its centre, normal and size.
MeshTarget make_mesh(const std::vector<MeshTriangle>& triangles, MeshTarget::Front front);

/// Returns the number of triangles.
std::size_t num_triangles(const MeshTarget& mesh);

/// Returns the number of pixels along the side of the smallest square bitmap of the mesh.
std::int64_t pixels_along_side(const MeshTarget& mesh);

/// Returns the area of each triangle, m2.
std::vector<double> triangle_areas(const MeshTarget& mesh);

/// Returns the corners of all triangles in ENU, metres, one coordinate after the other.
std::vector<double> triangle_corners(const MeshTarget& mesh);

/// Returns the triangles whose corners triangle_corners() returned, relative to a centre.
std::shared_ptr<const std::vector<MeshTriangle>> triangles_of_corners(
    const std::vector<double>& corners, const Vec3& center);

/// Returns the extent of the bitmap: a square with the area of all triangles, metres.
std::array<double, 2> shape_extent(const MeshTarget& mesh);

/// Describes the mesh for users.
TargetWords describe_shape(const MeshTarget& mesh);

/// Returns the first contradiction between the members of the mesh.
std::optional<ShapeFault> find_shape_fault(const MeshTarget& mesh);

/// Returns the axes of the frame: east, north, up.
std::array<Vec3, 3> compute_axes(const MeshTarget& mesh);

/// Returns the centre of the mesh in its frame for any place, because places on the bitmap are
/// triangles in the order of the file.
Vec3 point_in_frame(const MeshTarget& mesh, double x, double y);

/// Returns the middle of the bitmap for any point, see point_in_frame().
std::array<double, 2> place_on_map(const MeshTarget& mesh, const Vec3& point);

/// Returns the centre of the mesh.
Vec3 default_aim_point(const MeshTarget& mesh);

/// Returns the centre of the mesh for any heliostat.
Vec3 default_aim_point(const MeshTarget& mesh, const Vec3& from);

/// Returns the mean normal of the front.
Vec3 lit_normal(const MeshTarget& mesh, const Vec3& point);

}  // namespace helioray
