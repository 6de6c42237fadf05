// SPDX-License-Identifier: MIT
// Size, normal and description of meshes.
#include "scenario/types/targets/mesh_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace helioray {

namespace {

/// A body with less than this fraction of its area in one direction has no mean normal.
constexpr double kClosed = 1e-3;

/// Returns the normal of a triangle with the length of twice its area.
Vec3 double_area(const MeshTriangle& triangle) {
    return cross(subtract(triangle[1], triangle[0]), subtract(triangle[2], triangle[0]));
}

}  // namespace

bool MeshTarget::operator==(const MeshTarget& other) const {
    const bool same_triangles = triangles == other.triangles ||
                                (triangles && other.triangles && *triangles == *other.triangles);
    return center == other.center && normal == other.normal && side == other.side &&
           front == other.front && source == other.source && same_triangles;
}

MeshTarget make_mesh(const std::vector<MeshTriangle>& triangles, MeshTarget::Front front) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    Vec3 low{kInfinite, kInfinite, kInfinite};
    Vec3 high{-kInfinite, -kInfinite, -kInfinite};
    Vec3 sum{};
    double area = 0.0;
    for (const MeshTriangle& triangle : triangles) {
        for (const Vec3& corner : triangle) {
            for (std::size_t k = 0; k < 3; ++k) {
                low[k] = std::min(low[k], corner[k]);
                high[k] = std::max(high[k], corner[k]);
            }
        }
        const Vec3 normal = double_area(triangle);
        sum = add(sum, scaled(0.5, normal));
        area += 0.5 * norm(normal);
    }
    MeshTarget mesh;
    mesh.front = front;
    mesh.side = std::sqrt(area);
    if (triangles.empty()) return mesh;
    mesh.center = scaled(0.5, add(low, high));
    if (norm(sum) > kClosed * area)
        mesh.normal = scaled(front == MeshTarget::Front::reversed ? -1.0 : 1.0, normalized(sum));
    auto moved = std::make_shared<std::vector<MeshTriangle>>(triangles);
    for (MeshTriangle& triangle : *moved)
        for (Vec3& corner : triangle) corner = subtract(corner, mesh.center);
    mesh.triangles = std::move(moved);
    return mesh;
}

std::size_t num_triangles(const MeshTarget& mesh) {
    return mesh.triangles ? mesh.triangles->size() : 0;
}

std::int64_t pixels_along_side(const MeshTarget& mesh) {
    return std::llround(std::ceil(std::sqrt(static_cast<double>(num_triangles(mesh)))));
}

std::vector<double> triangle_areas(const MeshTarget& mesh) {
    std::vector<double> areas;
    areas.reserve(num_triangles(mesh));
    if (!mesh.triangles) return areas;
    for (const MeshTriangle& triangle : *mesh.triangles)
        areas.push_back(0.5 * norm(double_area(triangle)));
    return areas;
}

std::vector<double> triangle_corners(const MeshTarget& mesh) {
    std::vector<double> corners;
    corners.reserve(9 * num_triangles(mesh));
    if (!mesh.triangles) return corners;
    for (const MeshTriangle& triangle : *mesh.triangles) {
        for (const Vec3& corner : triangle) {
            const Vec3 point = add(mesh.center, corner);
            corners.insert(corners.end(), point.begin(), point.end());
        }
    }
    return corners;
}

std::shared_ptr<const std::vector<MeshTriangle>> triangles_of_corners(
    const std::vector<double>& corners, const Vec3& center) {
    auto triangles = std::make_shared<std::vector<MeshTriangle>>(corners.size() / 9);
    for (std::size_t i = 0; i < triangles->size(); ++i)
        for (std::size_t k = 0; k < 9; ++k)
            (*triangles)[i][k / 3][k % 3] = corners[9 * i + k] - center[k % 3];
    return triangles;
}

std::array<double, 2> shape_extent(const MeshTarget& mesh) {
    return {mesh.side, mesh.side};
}

TargetWords describe_shape(const MeshTarget& mesh) {
    const char* front = mesh.front == MeshTarget::Front::both       ? ", both sides"
                        : mesh.front == MeshTarget::Front::reversed ? ", reversed"
                                                                    : "";
    return {"mesh",
            fmt::format(
                "{} triangles, {:.3f} m2{}", num_triangles(mesh), mesh.side * mesh.side, front)};
}

std::optional<ShapeFault> find_shape_fault(const MeshTarget& mesh) {
    if (mesh.side > 0.0) return std::nullopt;
    return ShapeFault{"side", "is 0", "light needs a surface", "check the triangles"};
}

std::array<Vec3, 3> compute_axes(const MeshTarget&) {
    return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

Vec3 point_in_frame(const MeshTarget&, double, double) {
    return {};
}

std::array<double, 2> place_on_map(const MeshTarget&, const Vec3&) {
    return {};
}

Vec3 default_aim_point(const MeshTarget& mesh) {
    return mesh.center;
}

Vec3 default_aim_point(const MeshTarget& mesh, const Vec3&) {
    return mesh.center;
}

Vec3 lit_normal(const MeshTarget& mesh, const Vec3&) {
    return mesh.normal;
}

}  // namespace helioray
