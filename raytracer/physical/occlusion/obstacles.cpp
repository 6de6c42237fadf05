// SPDX-License-Identifier: MIT
// Boxes and cylinders in a target's frame.
#include "raytracer/physical/occlusion/obstacles.h"

#include "scenario/vector_math.h"

#include <cmath>

namespace helioray::physical {

namespace {

/// Centre, unit axes and half extents of a body, ENU.
struct Body {
    Vec3 center{};
    std::array<Vec3, 3> axes{};
    Vec3 half_extents{};
};

Body body_of(const BoxObstacle& box) {
    const double sine = std::sin(box.azimuth);
    const double cosine = std::cos(box.azimuth);
    // Right and ahead of an observer who looks along the azimuth.
    return {box.center,
            {{{cosine, -sine, 0}, {sine, cosine, 0}, {0, 0, 1}}},
            {0.5 * box.size[0], 0.5 * box.size[1], 0.5 * box.size[2]}};
}

Body body_of(const CylinderObstacle& cylinder) {
    const Vec3 axis = normalized(cylinder.axis);
    const Vec3 helper = std::abs(axis[2]) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    const Vec3 x = normalized(cross(helper, axis));
    return {add_scaled(cylinder.base, 0.5 * cylinder.height, axis),
            {{x, cross(axis, x), axis}},
            {cylinder.radius, cylinder.radius, 0.5 * cylinder.height}};
}

}  // namespace

kernels::ObstacleRecord obstacle_record(const ObstacleConfig& obstacle, const TargetFrame& frame) {
    const Body body = std::visit([](const auto& shape) { return body_of(shape); }, obstacle.shape);
    kernels::ObstacleRecord record{};
    record.kind = std::holds_alternative<BoxObstacle>(obstacle.shape)
                      ? kernels::ObstacleRecord::Kind::box
                      : kernels::ObstacleRecord::Kind::cylinder;
    const Vec3 center = frame.point_to_frame(body.center);
    for (size_t i = 0; i < 3; ++i) {
        record.center[i] = static_cast<float>(center[i]);
        const Vec3 axis = frame.direction_to_frame(body.axes[i]);
        for (size_t k = 0; k < 3; ++k)
            record.axes[3 * i + k] = static_cast<float>(axis[k] / body.half_extents[i]);
    }
    return record;
}

}  // namespace helioray::physical
