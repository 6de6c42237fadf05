// SPDX-License-Identifier: MIT
// Frames and sizes of targets.
#include "raytracer/target_frame.h"

#include "scenario/vector_math.h"

#include <cmath>

namespace helioray {

Vec3 TargetFrame::direction_to_world(const Vec3& v) const {
    Vec3 world{};
    for (size_t i = 0; i < 3; ++i) world = add_scaled(world, v[i], axes[i]);
    return world;
}

Vec3 TargetFrame::point_to_world(const Vec3& p) const {
    return add(origin, direction_to_world(p));
}

Vec3 TargetFrame::direction_to_frame(const Vec3& v) const {
    return {dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)};
}

Vec3 TargetFrame::point_to_frame(const Vec3& p) const {
    return direction_to_frame(subtract(p, origin));
}

namespace {

/// The part of v perpendicular to the unit vector n, normalised; zero when v is parallel to n.
Vec3 perpendicular(const Vec3& v, const Vec3& n) {
    const Vec3 rest = add_scaled(v, -dot(v, n), n);
    return norm(rest) < 1e-6 ? Vec3{} : normalized(rest);
}

TargetFrame plane_frame(const PlanarTarget& plane) {
    const Vec3 normal = normalized(plane.normal);
    // Up in the plane is the projection of world up; a horizontal plane has none and takes north.
    Vec3 up = perpendicular({0, 0, 1}, normal);
    if (norm(up) == 0.0) up = perpendicular({0, 1, 0}, normal);
    return {{cross(up, normal), up, normal}, plane.center};
}

TargetFrame cylinder_frame(const CylindricalTarget& cylinder) {
    const Vec3 axis = normalized(cylinder.axis);
    const Vec3 normal = perpendicular(cylinder.normal, axis);
    return {{cross(normal, axis), normal, axis}, cylinder.center};
}

}  // namespace

TargetFrame target_frame(const Target& target) {
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) return plane_frame(*plane);
    return cylinder_frame(std::get<CylindricalTarget>(target.geometry));
}

Vec3 surface_point(const Target& target, double x, double y) {
    const TargetFrame frame = target_frame(target);
    const auto* cylinder = std::get_if<CylindricalTarget>(&target.geometry);
    if (cylinder == nullptr) return frame.point_to_world({x, y, 0.0});
    // From outside, the frame's x points to the observer's left; from inside to the right.
    const double side = cylinder->side == CylindricalTarget::Side::inner ? 1.0 : -1.0;
    const double angle = side * x / cylinder->radius;
    return frame.point_to_world(
        {cylinder->radius * std::sin(angle), cylinder->radius * std::cos(angle), y});
}

}  // namespace helioray
