// SPDX-License-Identifier: MIT
// Builds the surfaces of boxes and cylinders.
#include "raytracer/tracing/geometry/body_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <variant>

namespace helioray {

namespace {

BodyPrism prism_of(const BoxObstacle& box) {
    const double sine = std::sin(box.azimuth);
    const double cosine = std::cos(box.azimuth);
    std::vector<Vec3> bottom;
    for (const auto& [right, ahead] :
         {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
        const double x = right * box.size[0];
        const double y = ahead * box.size[1];
        bottom.push_back(add(
            box.center, Vec3{cosine * x + sine * y, cosine * y - sine * x, -0.5 * box.size[2]}));
    }
    return {bottom, {0.0, 0.0, box.size[2]}};
}

BodyPrism prism_of(const CylinderObstacle& cylinder) {
    const Vec3 right = std::hypot(cylinder.axis[0], cylinder.axis[1]) > 1e-9
                           ? normalized(Vec3{-cylinder.axis[1], cylinder.axis[0], 0.0})
                           : Vec3{1.0, 0.0, 0.0};
    const Vec3 ahead = cross(cylinder.axis, right);
    std::vector<Vec3> bottom;
    constexpr int kSides = 48;
    for (int i = 0; i < kSides; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / kSides;
        bottom.push_back(add(cylinder.base,
                             add(scaled(cylinder.radius * std::cos(angle), right),
                                 scaled(cylinder.radius * std::sin(angle), ahead))));
    }
    return {bottom, scaled(cylinder.height, cylinder.axis)};
}

}  // namespace

BodyPrism body_prism(const ObstacleConfig& body) {
    return std::visit([](const auto& shape) { return prism_of(shape); }, body.shape);
}

std::vector<std::vector<Vec3>> body_faces(const ObstacleConfig& body) {
    const auto [bottom, along] = body_prism(body);
    std::vector<Vec3> top;
    for (const Vec3& corner : bottom) top.push_back(add(corner, along));
    std::vector<std::vector<Vec3>> faces{{bottom.rbegin(), bottom.rend()}};
    for (std::size_t i = 0; i < bottom.size(); ++i) {
        const std::size_t next = (i + 1) % bottom.size();
        faces.push_back({bottom[i], bottom[next], top[next], top[i]});
    }
    faces.push_back(top);
    return faces;
}

}  // namespace helioray
