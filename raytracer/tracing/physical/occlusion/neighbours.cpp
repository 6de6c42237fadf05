// SPDX-License-Identifier: MIT
// Searches spheres on a grid, and tests boxes projected along a beam.
#include "raytracer/tracing/physical/occlusion/neighbours.h"

#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray::physical {

NeighbourSearch::NeighbourSearch(std::vector<MirrorSphere> mirrors) : mirrors_(std::move(mirrors)) {
    if (mirrors_.empty()) return;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    extent_ = {{kInfinity, kInfinity}, {-kInfinity, -kInfinity}};
    top_ = -kInfinity;
    bottom_ = kInfinity;
    for (const MirrorSphere& mirror : mirrors_) {
        largest_radius_ = std::max(largest_radius_, mirror.radius);
        top_ = std::max(top_, mirror.center[2] + mirror.radius);
        bottom_ = std::min(bottom_, mirror.center[2] - mirror.radius);
        for (size_t axis = 0; axis < 2; ++axis) {
            extent_.low[axis] = std::min(extent_.low[axis], mirror.center[axis]);
            extent_.high[axis] = std::max(extent_.high[axis], mirror.center[axis]);
        }
    }
    // Choose about one mirror per cell in dense fields, and not many more cells than mirrors.
    const double width = extent_.high[0] - extent_.low[0];
    const double height = extent_.high[1] - extent_.low[1];
    const double mean_spacing = std::sqrt(width * height / static_cast<double>(mirrors_.size()));
    cell_size_ = std::max({2.0 * largest_radius_, mean_spacing, 1e-3});
    const double longest = std::max(width, height);
    cell_size_ = std::max(cell_size_, longest / 4096.0);
    for (int axis = 0; axis < 2; ++axis)
        num_cells_[axis] =
            1 + static_cast<int64_t>((extent_.high[axis] - extent_.low[axis]) / cell_size_);

    // Sort the mirrors by cell (counting sort).
    const auto index = [&](const MirrorSphere& mirror) {
        return static_cast<size_t>(cell(1, mirror.center[1]) * num_cells_[0] +
                                   cell(0, mirror.center[0]));
    };
    cell_begin_.assign(static_cast<size_t>(num_cells_[0] * num_cells_[1]) + 1, 0);
    for (const MirrorSphere& mirror : mirrors_) ++cell_begin_[index(mirror) + 1];
    for (size_t i = 1; i < cell_begin_.size(); ++i) cell_begin_[i] += cell_begin_[i - 1];
    std::vector<int64_t> next(cell_begin_.begin(), cell_begin_.end() - 1);
    cell_mirrors_.resize(mirrors_.size());
    for (size_t i = 0; i < mirrors_.size(); ++i)
        cell_mirrors_[static_cast<size_t>(next[index(mirrors_[i])]++)] = static_cast<int32_t>(i);
}

int64_t NeighbourSearch::cell(int axis, double coordinate) const {
    const double position = std::floor((coordinate - extent_.low[axis]) / cell_size_);
    const auto last = static_cast<double>(num_cells_[axis] - 1);
    return static_cast<int64_t>(std::clamp(position, 0.0, last));
}

namespace {

/// Returns true if the beam of `from` may hit `to`. tangent: tangent of the beam's angle.
bool may_meet(const MirrorSphere& from,
              const LightBeam& beam,
              double tangent,
              const MirrorSphere& to) {
    // The beam of a sphere hits another sphere if the beam of its centre hits a sphere with the sum
    // of both radii.
    const double radius = from.radius + to.radius;
    const Vec3 between = subtract(to.center, from.center);
    const double along = dot(between, beam.axis);
    if (along < -radius) return false;
    const double width = radius + (along + radius) * tangent;
    return dot(between, between) - along * along <= width * width;
}

}  // namespace

double NeighbourSearch::reach(const MirrorSphere& from, const LightBeam& beam) const {
    // Beyond the point where the lowest (or highest) ray has left the layer of mirrors, the beam
    // hits no mirror.
    const double margin = from.radius + largest_radius_;
    const double elevation = std::asin(std::clamp(beam.axis[2], -1.0, 1.0));
    const double diagonal =
        std::hypot(
            extent_.high[0] - extent_.low[0], extent_.high[1] - extent_.low[1], top_ - bottom_) +
        2.0 * margin;
    double length = diagonal;
    if (elevation > beam.angle) {
        length = (top_ - from.center[2] + margin) / std::sin(elevation - beam.angle);
    } else if (-elevation > beam.angle) {
        length = (from.center[2] - bottom_ + margin) / std::sin(-elevation - beam.angle);
    }
    return std::min(length, diagonal);
}

void NeighbourSearch::find(size_t self, const LightBeam& beam, std::vector<int32_t>& found) const {
    if (beam.angle > kWidestCulledAngle) return all_but(self, found);
    const MirrorSphere& from = mirrors_[self];
    const double tangent = std::tan(beam.angle);
    // In plan view the beam is a strip about a straight line that widens along it: a long strip of
    // a low beam covers few cells of its bounding box.
    const double margin = from.radius + largest_radius_;
    const double end = reach(from, beam);
    const auto half_width = [&](double along) { return margin + (along + margin) * tangent; };
    const auto on_line = [&](size_t axis, double along) {
        return from.center[axis] + along * beam.axis[axis];
    };
    const double widest = half_width(end);
    const auto [low_y, high_y] = std::minmax({on_line(1, -margin), on_line(1, end)});
    const size_t before = found.size();
    const int64_t last_row = cell(1, high_y + widest);
    for (int64_t row = cell(1, low_y - widest); row <= last_row; ++row) {
        // Find the part of the line whose light may reach this row.
        double first = -margin;
        double last = end;
        if (std::abs(beam.axis[1]) > 1e-6) {
            const double y = extent_.low[1] + static_cast<double>(row) * cell_size_;
            const auto along = [&](double at) { return (at - from.center[1]) / beam.axis[1]; };
            const auto [enter, leave] =
                std::minmax({along(y - widest), along(y + cell_size_ + widest)});
            first = std::max(first, enter);
            last = std::min(last, leave);
            if (first > last) continue;
        }
        const auto [low_x, high_x] = std::minmax({on_line(0, first), on_line(0, last)});
        const int64_t last_column = cell(0, high_x + half_width(last));
        for (int64_t column = cell(0, low_x - half_width(last)); column <= last_column; ++column) {
            const auto index = static_cast<size_t>(row * num_cells_[0] + column);
            for (int64_t i = cell_begin_[index]; i < cell_begin_[index + 1]; ++i) {
                const int32_t other = cell_mirrors_[static_cast<size_t>(i)];
                if (static_cast<size_t>(other) == self) continue;
                if (may_meet(from, beam, tangent, mirrors_[static_cast<size_t>(other)]))
                    found.push_back(other);
            }
        }
    }
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
}

void NeighbourSearch::all_but(size_t self, std::vector<int32_t>& found) const {
    for (size_t i = 0; i < mirrors_.size(); ++i)
        if (i != self) found.push_back(static_cast<int32_t>(i));
}

namespace {

using Edges = std::array<std::array<double, 2>, 3>;

/// Returns half the length of a box's projection on a direction perpendicular to the axis.
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
    from_ = project(from);
    constexpr double kFarInSizes = 10.0;
    double size = 0.0;
    for (const Vec3& edge : from.half_edges) size += norm(edge);
    far_ = kFarInSizes * size;
}

BoxBeam::Projection BoxBeam::project(const MirrorBox& box) const {
    Projection seen{};
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
    // Far away the beam is wider than mirrors; boxes would exclude few more of them than spheres
    // did.
    if (dot(axis_, to.center) - from_.along > far_) return true;
    const Projection other = project(to);
    const double longest = other.along + other.reach - (from_.along - from_.reach);
    if (longest < 0.0) return false;
    // A ray drifts by at most this distance from the axis before it has passed the other box.
    const double drift = longest * tangent_;
    const double dx = other.x - from_.x;
    const double dy = other.y - from_.y;
    for (const Edges* edges : {&from_.edges, &other.edges}) {
        for (const auto& edge : *edges) {
            const double length = std::sqrt(edge[0] * edge[0] + edge[1] * edge[1]);
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
