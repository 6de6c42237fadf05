// SPDX-License-Identifier: MIT
// Which mirrors can stand in the way of a mirror's light: conservative, at a cost that grows with
// the neighbours.
#pragma once

#include "scenario/types.h"

#include <cstdint>
#include <vector>

namespace helioray::physical {

/// A sphere that holds a mirror; metres, ENU.
struct MirrorSphere {
    Vec3 center{};
    double radius = 0.0;
};

/// Light that leaves all points of a mirror in directions within `angle` (radians) of a unit axis.
struct LightBeam {
    Vec3 axis{};
    double angle = 0.0;
};

/// Beams wider than this (radians) may meet everything.
inline constexpr double kWidestCulledAngle = 1.2;

class NeighbourSearch {
  public:
    explicit NeighbourSearch(std::vector<MirrorSphere> mirrors);

    /// Appends the indices, ascending, of all other mirrors that the beam of mirror `self` may
    /// meet; never fewer.
    void find(size_t self, const LightBeam& beam, std::vector<int32_t>& found) const;

    /// Appends all other mirrors: the reference without culling.
    void all_but(size_t self, std::vector<int32_t>& found) const;

  private:
    struct Box {
        double low[2], high[2];
    };

    Box footprint(const MirrorSphere& from, const LightBeam& beam) const;
    int64_t cell(int axis, double coordinate) const;

    std::vector<MirrorSphere> mirrors_;
    double largest_radius_ = 0.0;
    double top_ = 0.0;     ///< metres, of all mirrors
    double bottom_ = 0.0;  ///< metres
    Box extent_{};
    double cell_size_ = 1.0;
    int64_t num_cells_[2] = {1, 1};
    std::vector<int64_t> cell_begin_;  ///< [num_cells + 1], into cell_mirrors_
    std::vector<int32_t> cell_mirrors_;
};

}  // namespace helioray::physical
