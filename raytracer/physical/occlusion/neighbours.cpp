// SPDX-License-Identifier: MIT
// A grid over the plan view of the field.
#include "raytracer/physical/occlusion/neighbours.h"

#include "scenario/vector_math.h"

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
    // About one mirror per cell where they stand dense, and never more cells than mirrors by far.
    const double width = extent_.high[0] - extent_.low[0];
    const double height = extent_.high[1] - extent_.low[1];
    const double mean_spacing = std::sqrt(width * height / static_cast<double>(mirrors_.size()));
    cell_size_ = std::max({2.0 * largest_radius_, mean_spacing, 1e-3});
    const double longest = std::max(width, height);
    cell_size_ = std::max(cell_size_, longest / 4096.0);
    for (int axis = 0; axis < 2; ++axis)
        num_cells_[axis] =
            1 + static_cast<int64_t>((extent_.high[axis] - extent_.low[axis]) / cell_size_);

    // Counting sort by cell.
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

/// tangent: of the beam's angle.
bool may_meet(const MirrorSphere& from,
              const LightBeam& beam,
              double tangent,
              const MirrorSphere& to) {
    // The beam of a sphere meets another sphere when a point's beam meets the sum of both.
    const double radius = from.radius + to.radius;
    const Vec3 between = subtract(to.center, from.center);
    const double along = dot(between, beam.axis);
    if (along < -radius) return false;
    const double across = norm(add_scaled(between, -along, beam.axis));
    return across <= radius + (along + radius) * tangent;
}

}  // namespace

NeighbourSearch::Box NeighbourSearch::footprint(const MirrorSphere& from,
                                                const LightBeam& beam) const {
    // Where the lowest (or highest) ray has left the layer in which mirrors stand, nothing is met
    // any more.
    const double margin = from.radius + largest_radius_;
    const double elevation = std::asin(std::clamp(beam.axis[2], -1.0, 1.0));
    const double diagonal =
        std::hypot(
            extent_.high[0] - extent_.low[0], extent_.high[1] - extent_.low[1], top_ - bottom_) +
        2.0 * margin;
    double reach = diagonal;
    if (elevation > beam.angle) {
        reach = (top_ - from.center[2] + margin) / std::sin(elevation - beam.angle);
    } else if (-elevation > beam.angle) {
        reach = (from.center[2] - bottom_ + margin) / std::sin(-elevation - beam.angle);
    }
    reach = std::min(reach, diagonal);
    const double growth = margin + (reach + margin) * std::tan(beam.angle);
    Box box{};
    for (size_t axis = 0; axis < 2; ++axis) {
        const double begin = from.center[axis];
        const double end = begin + reach * beam.axis[axis];
        box.low[axis] = std::min(begin, end) - growth;
        box.high[axis] = std::max(begin, end) + growth;
    }
    return box;
}

void NeighbourSearch::find(size_t self, const LightBeam& beam, std::vector<int32_t>& found) const {
    if (beam.angle > kWidestCulledAngle) return all_but(self, found);
    const MirrorSphere& from = mirrors_[self];
    const Box box = footprint(from, beam);
    const double tangent = std::tan(beam.angle);
    const size_t before = found.size();
    const int64_t last_row = cell(1, box.high[1]);
    const int64_t last_column = cell(0, box.high[0]);
    for (int64_t row = cell(1, box.low[1]); row <= last_row; ++row) {
        for (int64_t column = cell(0, box.low[0]); column <= last_column; ++column) {
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

}  // namespace helioray::physical
