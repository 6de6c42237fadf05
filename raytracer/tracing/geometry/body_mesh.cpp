// SPDX-License-Identifier: MIT
// Builds the surfaces of boxes, cylinders and cones.
#include "raytracer/tracing/geometry/body_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <variant>

namespace helioray {

namespace {

BodyEnds ends_of(const BoxObstacle& box) {
    const double sine = std::sin(box.azimuth);
    const double cosine = std::cos(box.azimuth);
    BodyEnds ends;
    for (const auto& [right, ahead] :
         {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
        const double x = right * box.size[0];
        const double y = ahead * box.size[1];
        const Vec3 corner =
            add(box.center, Vec3{cosine * x + sine * y, cosine * y - sine * x, -0.5 * box.size[2]});
        ends.bottom.push_back(corner);
        ends.top.push_back(add(corner, Vec3{0.0, 0.0, box.size[2]}));
    }
    return ends;
}

BodyEnds ends_of(const ConeObstacle& cone) {
    const Vec3 right = std::hypot(cone.axis[0], cone.axis[1]) > 1e-9
                           ? normalized(Vec3{-cone.axis[1], cone.axis[0], 0.0})
                           : Vec3{1.0, 0.0, 0.0};
    const Vec3 ahead = cross(cone.axis, right);
    const Vec3 upper_end = add_scaled(cone.base, cone.height, cone.axis);
    BodyEnds ends;
    constexpr int kSides = 48;
    for (int i = 0; i < kSides; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / kSides;
        const Vec3 outward = add(scaled(std::cos(angle), right), scaled(std::sin(angle), ahead));
        ends.bottom.push_back(add_scaled(cone.base, cone.radius, outward));
        ends.top.push_back(add_scaled(upper_end, cone.top_radius, outward));
    }
    return ends;
}

BodyEnds ends_of(const CylinderObstacle& cylinder) {
    return ends_of(ConeObstacle{
        cylinder.base, cylinder.axis, cylinder.radius, cylinder.radius, cylinder.height});
}

}  // namespace

BodyEnds body_ends(const ObstacleConfig& body) {
    return std::visit([](const auto& shape) { return ends_of(shape); }, body.shape);
}

std::vector<std::vector<Vec3>> body_faces(const ObstacleConfig& body) {
    const auto [bottom, top] = body_ends(body);
    const bool is_pointed = top.front() == top.back();
    std::vector<std::vector<Vec3>> faces{{bottom.rbegin(), bottom.rend()}};
    for (std::size_t i = 0; i < bottom.size(); ++i) {
        const std::size_t next = (i + 1) % bottom.size();
        faces.push_back({bottom[i], bottom[next], top[next]});
        if (!is_pointed) faces.back().push_back(top[i]);
    }
    if (!is_pointed) faces.push_back(top);
    return faces;
}

}  // namespace helioray
