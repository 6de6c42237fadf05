// SPDX-License-Identifier: MIT
// Boxes about mirrors: who can stand in whose light, closer than spheres can say.
#pragma once

#include "raytracer/physical/aimed_heliostat.h"
#include "raytracer/physical/occlusion/mirror_shape.h"
#include "raytracer/physical/occlusion/neighbours.h"

#include <array>

namespace helioray::physical {

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

    /// Whether a ray of the beam may meet the other box; never wrongly false. Boxes are projected
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
    Seen from_;
};

}  // namespace helioray::physical
