// SPDX-License-Identifier: MIT
// Boxes about mirrors.
#include "raytracer/physical/occlusion/mirror_box.h"

#include "scenario/vector_math.h"

#include <cmath>

namespace helioray::physical {

namespace {

using Edges = std::array<std::array<double, 2>, 3>;

/// Half the length of a box's shadow on a direction across the axis.
double half_width(const Edges& edges, double nx, double ny) {
    double width = 0.0;
    for (const auto& edge : edges) width += std::abs(nx * edge[0] + ny * edge[1]);
    return width;
}

}  // namespace

MirrorBox mirror_box(const MirrorShape& shape, const std::array<double, 16>& orientation) {
    MirrorBox box;
    box.center = point_to_enu(orientation, scaled(0.5, add(shape.box_low, shape.box_high)));
    for (size_t k = 0; k < 3; ++k) {
        Vec3 edge{};
        edge[k] = 0.5 * (shape.box_high[k] - shape.box_low[k]);
        box.half_edges[k] = direction_to_enu(orientation, edge);
    }
    return box;
}

BoxBeam::BoxBeam(const MirrorBox& from, const LightBeam& beam)
    : axis_(beam.axis), tangent_(std::tan(beam.angle)) {
    const Vec3 helper = std::abs(axis_[2]) < 0.7 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    across_[0] = normalized(cross(helper, axis_));
    across_[1] = cross(axis_, across_[0]);
    from_ = look(from);
}

BoxBeam::Seen BoxBeam::look(const MirrorBox& box) const {
    Seen seen{};
    seen.x = dot(across_[0], box.center);
    seen.y = dot(across_[1], box.center);
    seen.along = dot(axis_, box.center);
    for (size_t k = 0; k < 3; ++k) {
        seen.edges[k] = {dot(across_[0], box.half_edges[k]), dot(across_[1], box.half_edges[k])};
        seen.reach += std::abs(dot(axis_, box.half_edges[k]));
    }
    return seen;
}

bool BoxBeam::may_meet(const MirrorBox& to) const {
    const Seen other = look(to);
    const double longest = other.along + other.reach - (from_.along - from_.reach);
    if (longest < 0.0) return false;
    // A ray drifts away from the axis by so much before it has passed the other box.
    const double drift = longest * tangent_;
    const double dx = other.x - from_.x;
    const double dy = other.y - from_.y;
    for (const Edges* edges : {&from_.edges, &other.edges}) {
        for (const auto& edge : *edges) {
            const double length = std::hypot(edge[0], edge[1]);
            if (length < 1e-9) continue;
            const double nx = -edge[1] / length;
            const double ny = edge[0] / length;
            const double gap = std::abs(nx * dx + ny * dy) - half_width(from_.edges, nx, ny) -
                               half_width(other.edges, nx, ny);
            if (gap > drift) return false;
        }
    }
    return true;
}

}  // namespace helioray::physical
