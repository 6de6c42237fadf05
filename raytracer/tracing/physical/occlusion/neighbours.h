// SPDX-License-Identifier: MIT
// Finds mirrors that may shade or block each other, by bounding spheres and tighter boxes.
#pragma once

#include "raytracer/tracing/physical/aimed_heliostat.h"
#include "raytracer/tracing/physical/occlusion/mirror_shape.h"
#include "scenario/types/types.h"

#include <array>
#include <cstdint>
#include <vector>

namespace helioray::physical {

/// Bounding sphere of a mirror; metres, ENU.
struct MirrorSphere {
    Vec3 center{};
    double radius = 0.0;
};

/// Light that leaves all points of a mirror in directions within `angle` (radians) of a unit axis.
struct LightBeam {
    Vec3 axis{};
    double angle = 0.0;
};

/// Beams wider than this angle (radians) may hit every mirror.
inline constexpr double kWidestCulledAngle = 1.2;

class NeighbourSearch {
  public:
    explicit NeighbourSearch(std::vector<MirrorSphere> mirrors);

    /// Appends the indices, ascending, of all other mirrors that the beam of mirror `self` may hit.
    /// The list may contain mirrors that it does not hit.
    void find(size_t self, const LightBeam& beam, std::vector<int32_t>& found) const;

    /// Appends all other mirrors: the reference without culling.
    void all_but(size_t self, std::vector<int32_t>& found) const;

  private:
    struct Box {
        double low[2], high[2];
    };

    /// Returns the distance along the axis up to which a beam can hit mirrors, metres.
    double reach(const MirrorSphere& from, const LightBeam& beam) const;
    int64_t cell(int axis, double coordinate) const;

    std::vector<MirrorSphere> mirrors_;
    double largest_radius_ = 0.0;
    double top_ = 0.0;     ///< highest point of all mirrors, metres
    double bottom_ = 0.0;  ///< lowest point of all mirrors, metres
    Box extent_{};
    double cell_size_ = 1.0;
    int64_t num_cells_[2] = {1, 1};
    /// Index of each cell's first entry in cell_mirrors_, [num_cells + 1].
    std::vector<int64_t> cell_begin_;
    std::vector<int32_t> cell_mirrors_;
};

/// Bounding box of a mirror; metres, ENU.
struct MirrorBox {
    Vec3 center{};
    /// Orthogonal vectors from the centre to the middle of a side.
    std::array<Vec3, 3> half_edges{};
};

/// Returns the bounding box of a mirror with a given orientation.
MirrorBox mirror_box(const MirrorShape& shape, const std::array<double, 16>& orientation);

/// Light that leaves all points of a box in directions within an angle of an axis.
class BoxBeam {
  public:
    /// Creates the beam, which must not be wider than kWidestCulledAngle.
    BoxBeam(const MirrorBox& from, const LightBeam& beam);

    /// Returns false only if no ray of the beam hits the box of the other mirror. Call it for
    /// mirrors whose sphere the beam hits. Boxes are projected along the axis and separated by the
    /// normals of their edges (S. Gottschalk, M. C. Lin and D. Manocha, OBBTree, SIGGRAPH 1996).
    bool may_meet(const MirrorBox& to) const;

  private:
    /// Projection of a box along the axis.
    struct Projection {
        double x, y;          ///< centre perpendicular to the axis
        double along, reach;  ///< centre along the axis, half length along the axis
        std::array<std::array<double, 2>, 3> edges;  ///< half edges perpendicular to the axis
    };
    Projection project(const MirrorBox& box) const;

    Vec3 axis_;
    std::array<Vec3, 2> across_;
    double tangent_;  ///< tangent of the beam's angle
    double far_;      ///< distance along the axis beyond which only spheres are tested, metres
    Projection from_;
};

}  // namespace helioray::physical
