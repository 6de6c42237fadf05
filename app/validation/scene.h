// SPDX-License-Identifier: MIT
// Builds scenes in memory: rectangular mirrors with ideal azimuth-elevation drives in front of one
// plane.
#pragma once

#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <vector>

namespace helioray::validation {

/// The scenario and configuration of one run.
struct Scene {
    Scenario scenario;
    /// No shading and blocking, reflectivity 1, all mirrors aim at the target's centre.
    RunConfig config;
};

/// One heliostat: a single facet whose vertex is the pivot.
struct Mirror {
    Vec3 position{};       ///< metres, ENU
    double width = 10.0;   ///< metres, along the horizontal axis of the mirror
    double height = 10.0;  ///< metres, along the other axis
    FacetShape shape = FacetShape::paraboloid;
    double focal_length = 0.0;  ///< metres; 0 with a curved shape: the distance to the target
};

/// Radians per mrad, the unit of angular widths in the published cases.
inline constexpr double kMrad = 1e-3;

/// Returns the sun for an azimuth (clockwise from north) and a zenith angle, both in degrees.
SunAngles sun_at(double azimuth_deg, double zenith_deg);

/// Returns a scene of mirrors that aim at the target's centre, DNI 1000 W/m2.
Scene make_scene(const std::vector<Mirror>& mirrors,
                 const PlanarTarget& target,
                 const SunAngles& sun,
                 const SunShape& sun_shape,
                 const ErrorShape& slope_error);

/// Returns the name that make_scene() gives to the mirror of an index.
std::string mirror_name(size_t index);

/// Returns the plane that all published single-mirror cases share: 8 m x 8 m, 500 m above the
/// origin, facing down.
PlanarTarget overhead_target();

/// Returns a 10 m x 10 m paraboloid below overhead_target(), sun overhead. The distance is 500 m,
/// so that 1 mrad corresponds to 0.5 m.
Scene on_axis_scene(const SunShape& sun_shape, const ErrorShape& slope_error);

}  // namespace helioray::validation
