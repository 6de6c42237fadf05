// SPDX-License-Identifier: MIT
// Frames of targets and of canted facets, and points on a target's surface.
#include "raytracer/tracing/geometry/frames.h"

#include "scenario/types/vector_math.h"

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

TargetFrame target_frame(const Target& target) {
    return std::visit(
        []<typename Shape>(const Shape& shape) -> TargetFrame {
            if constexpr (Shape::kIsFlat) {
                return {flat_axes(shape.normal), shape.center};
            } else {
                return {compute_axes(shape), shape.center};
            }
        },
        target.geometry);
}

Vec3 surface_point(const Target& target, double x, double y) {
    const Vec3 in_frame = std::visit(
        [&]<typename Shape>(const Shape& shape) -> Vec3 {
            if constexpr (Shape::kIsFlat) {
                return {x, y, 0.0};
            } else {
                return point_in_frame(shape, x, y);
            }
        },
        target.geometry);
    return target_frame(target).point_to_world(in_frame);
}

std::array<Vec3, 3> canting_axes(const Facet& facet) {
    const Vec3 e = normalized(facet.canting_e);
    const Vec3 u = normalized(cross(e, facet.canting_n));
    return {e, cross(u, e), u};
}

Vec3 along_axes(const Vec3& origin, const std::array<Vec3, 3>& axes, const Vec3& v) {
    Vec3 result = origin;
    for (size_t i = 0; i < 3; ++i) result = add_scaled(result, v[i], axes[i]);
    return result;
}

}  // namespace helioray
