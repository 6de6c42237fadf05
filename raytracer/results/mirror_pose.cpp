// SPDX-License-Identifier: MIT
// Converts matrices of mirrors to poses and back.
#include "raytracer/results/mirror_pose.h"

#include <cmath>

namespace helioray {

namespace {

bool is_nowhere(const Vec3& normal) {
    return normal == Vec3{};
}

/// Returns the direction relative to which the turn is measured, perpendicular to the normal.
Vec3 reference(const Vec3& normal) {
    const Vec3 level{-normal[1], normal[0], 0.0};
    const double length = std::hypot(level[0], level[1]);
    if (length > 1e-6) return scaled(1.0 / length, level);
    // Remove the tiny component along the normal.
    const Vec3 east{1.0, 0.0, 0.0};
    const Vec3 across = add_scaled(east, -dot(east, normal), normal);
    return scaled(1.0 / std::sqrt(dot(across, across)), across);
}

}  // namespace

MirrorPose convert_to_pose(const std::array<double, 16>& m) {
    MirrorPose pose{{m[2], m[6], m[10]}, {m[3], m[7], m[11]}, 0.0};
    if (is_nowhere(pose.normal)) return pose;
    const Vec3 first{m[0], m[4], m[8]};
    const Vec3 from = reference(pose.normal);
    pose.turn = std::atan2(dot(first, cross(pose.normal, from)), dot(first, from));
    return pose;
}

std::array<double, 16> convert_to_matrix(const MirrorPose& pose) {
    const auto& [normal, origin, turn] = pose;
    if (is_nowhere(normal))
        return {0, 0, 0, origin[0], 0, 0, 0, origin[1], 0, 0, 0, origin[2], 0, 0, 0, 0};
    const Vec3 from = reference(normal);
    const Vec3 first =
        add_scaled(scaled(std::cos(turn), from), std::sin(turn), cross(normal, from));
    const Vec3 second = cross(normal, first);
    std::array<double, 16> m{};
    for (size_t row = 0; row < 3; ++row) {
        m[4 * row] = first[row];
        m[4 * row + 1] = second[row];
        m[4 * row + 2] = normal[row];
        m[4 * row + 3] = origin[row];
    }
    m[15] = 1.0;
    return m;
}

}  // namespace helioray
