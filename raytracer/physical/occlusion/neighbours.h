// SPDX-License-Identifier: MIT
// Which mirrors may shade or block which others: spheres about mirrors, and tighter boxes.
#pragma once

#include "raytracer/physical/aimed_heliostat.h"
#include "raytracer/physical/occlusion/mirror_shape.h"
#include "scenario/types.h"

#include <array>
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

    /// How far along its axis a beam can meet mirrors, metres.
    double reach(const MirrorSphere& from, const LightBeam& beam) const;
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

/// A box that holds a mirror; metres, ENU.
struct MirrorBox {
    Vec3 center{};
    std::array<Vec3, 3> half_edges{};  ///< orthogonal, from the centre to the middle of a side
};

/// The box of a mirror that stands somewhere.
MirrorBox mirror_box(const MirrorShape& shape, const std::array<double, 16>& orientation);

/// Light that leaves all points of a box in directions within an angle of an axis.
class BoxBeam {
  public:
    /// The beam must not be wider than kWidestCulledAngle.
    BoxBeam(const MirrorBox& from, const LightBeam& beam);

    /// Whether a ray of the beam, which meets the sphere about the other mirror, may meet its box;
    /// never wrongly false. Boxes are projected
    /// along the axis and separated by the normals of their edges (S. Gottschalk, M. C. Lin and
    /// D. Manocha, OBBTree, SIGGRAPH 1996).
    bool may_meet(const MirrorBox& to) const;

  private:
    /// A box as seen along the axis.
    struct Seen {
        double x, y;                                 ///< centre across the axis
        double along, reach;                         ///< centre on the axis, half length there
        std::array<std::array<double, 2>, 3> edges;  ///< half edges across the axis
    };
    Seen look(const MirrorBox& box) const;

    Vec3 axis_;
    std::array<Vec3, 2> across_;
    double tangent_;  ///< of the beam's angle
    double far_;      ///< metres along the axis from which on spheres decide
    Seen from_;
};

}  // namespace helioray::physical
