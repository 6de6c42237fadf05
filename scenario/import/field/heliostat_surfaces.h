// SPDX-License-Identifier: MIT
// Builds mirrors from a template: facets in rows and columns, curved and canted for one heliostat.
#pragma once

#include "scenario/import/field/field_template.h"

#include <map>
#include <memory>
#include <utility>

namespace helioray {

/// Facets reflect light from the direction `sun` to `aim`; both are given in the mirror frame.
struct CantingLight {
    Vec3 sun{};  ///< unit vector towards the sun
    Vec3 aim{};  ///< point that the light from the facets' centres meets, metres
    auto operator<=>(const CantingLight&) const = default;
};
/// The normals at the facets' centres meet at `point`.
struct CantingCentre {
    Vec3 point{};  ///< point in the mirror frame, metres
    auto operator<=>(const CantingCentre&) const = default;
};

/// Properties in which the mirrors of heliostats of one type differ.
struct MirrorShape {
    /// Focal lengths along the facets' width and height, metres; not set: flat facets.
    std::optional<std::array<double, 2>> focal_lengths;
    /// Tilt of the facets; not set: all lie in the e-n plane.
    std::optional<std::variant<CantingLight, CantingCentre>> canting;
    auto operator<=>(const MirrorShape&) const = default;
};

/// Returns the shape of a mirror for a heliostat with its pivot at `pivot` and its aim point at
/// `aim` (metres, ENU). Lengths that are equal to the slant range are rounded to the template's
/// step. Off-axis canting follows exactly from the positions: the mirror's normal bisects the
/// angle between the sun and the aim point as seen from the mirror's centre, which lies
/// mirror_offset from the pivot along the normal.
MirrorShape mirror_shape(const HeliostatTemplate& heliostat, const Vec3& pivot, const Vec3& aim);

/// Returns on-axis canting: light along the mirror's normal is reflected to the point on the normal
/// at `distance` metres.
CantingLight on_axis_canting(double distance);

/// Returns the mirror of a template. Facet centres lie in the e-n plane, columns from west to east,
/// rows from south to north of the mirror frame. A canted facet is turned about a line in that
/// plane through its centre, until its normal bisects the angle between the directions to sun and
/// aim point, or points to the common centre. A facet of focal lengths fx and fy has the height z =
/// x^2 / 4 fx + y^2 / 4 fy in its own frame; if they differ, it is a B-spline of degree 3 with 4 x
/// 4 control points, which represents this formula exactly.
Surface mirror_surface(const HeliostatTemplate& heliostat, const MirrorShape& shape);

/// Stores one surface per distinct shape.
class SurfaceStore {
  public:
    explicit SurfaceStore(const HeliostatTemplate& heliostat) : heliostat_(heliostat) {}
    std::shared_ptr<const Surface> get(const MirrorShape& shape);
    size_t size() const { return surfaces_.size(); }

  private:
    HeliostatTemplate heliostat_;
    std::map<MirrorShape, std::shared_ptr<const Surface>> surfaces_;
};

/// Returns the ideal drives of an azimuth-elevation mount: azimuth over two turns, elevation of the
/// normal from nadir to zenith.
std::shared_ptr<const ActuatorPair> azimuth_elevation_drives();

/// Returns azimuth-elevation kinematics with the mirror at `mirror_offset` metres along its normal.
std::shared_ptr<const Kinematics> azimuth_elevation_kinematics(double mirror_offset);

}  // namespace helioray
