// SPDX-License-Identifier: MIT
// Builds mirrors from a template: facets in rows and columns, canted on axis, one surface per slant
// range.
#pragma once

#include "scenario/import/field/field_template.h"

#include <map>
#include <memory>
#include <utility>

namespace helioray {

/// Lengths in which the mirrors of heliostats differ, metres; not set: flat or not canted.
struct MirrorLengths {
    std::optional<double> focal_length;
    std::optional<double> canting_distance;
    auto operator<=>(const MirrorLengths&) const = default;
};

/// Returns the lengths of a heliostat at a slant range in metres, which is rounded to the
/// template's step.
MirrorLengths mirror_lengths(const HeliostatTemplate& heliostat, double slant_range);

/// Returns the mirror of a template. Facet centres lie in the e-n plane, columns from west to east,
/// rows from south to north of the mirror frame. On-axis canting: a facet centred at p is turned
/// about the horizontal through its centre until its normal bisects the angle between the mirror's
/// normal and the direction from p to the point (0, 0, canting distance), so that light along the
/// mirror's normal is reflected to that point.
Surface mirror_surface(const HeliostatTemplate& heliostat, const MirrorLengths& lengths);

/// Stores one surface per distinct lengths.
class SurfaceStore {
  public:
    explicit SurfaceStore(const HeliostatTemplate& heliostat) : heliostat_(heliostat) {}
    std::shared_ptr<const Surface> get(const MirrorLengths& lengths);
    size_t size() const { return surfaces_.size(); }

  private:
    HeliostatTemplate heliostat_;
    std::map<MirrorLengths, std::shared_ptr<const Surface>> surfaces_;
};

/// Returns the ideal drives of an azimuth-elevation mount: azimuth over two turns, elevation of the
/// normal from nadir to zenith.
std::shared_ptr<const ActuatorPair> azimuth_elevation_drives();

/// Returns azimuth-elevation kinematics with the mirror at `mirror_offset` metres along its normal.
std::shared_ptr<const Kinematics> azimuth_elevation_kinematics(double mirror_offset);

}  // namespace helioray
