// SPDX-License-Identifier: MIT
// Scenes in memory: rectangular mirrors with ideal azimuth-elevation drives before one plane.
#pragma once

#include "scenario/run_config.h"
#include "scenario/types.h"

#include <vector>

namespace helioray::validation {

/// The scenario and configuration of one run.
struct Scene {
    Scenario scenario;
    RunConfig config;  ///< shading and blocking off, reflectivity 1, all aim at the target's centre
};

/// One heliostat: a single facet whose vertex is the pivot.
struct Mirror {
    Vec3 position{};       ///< metres, ENU
    double width = 10.0;   ///< metres, along the horizontal axis of the mirror
    double height = 10.0;  ///< metres, along the other axis
    FacetShape shape = FacetShape::paraboloid;
    double focal_length = 0.0;  ///< metres; 0 with a curved shape: the distance to the target
};

/// Angular widths of the published cases are in mrad.
inline constexpr double kMrad = 1e-3;

/// Sun by azimuth (clockwise from north) and zenith angle, degrees.
SunAngles sun_at(double azimuth_deg, double zenith_deg);

/// A scene of mirrors that aim at the target's centre, DNI 1000 W/m2.
Scene make_scene(const std::vector<Mirror>& mirrors,
                 const PlanarTarget& target,
                 const SunAngles& sun,
                 const SunShape& sun_shape,
                 const ErrorShape& slope_error);

/// Name that make_scene gives to the mirror of an index.
std::string mirror_name(size_t index);

/// The plane that all published single-mirror cases share: 8 m x 8 m, 500 m above the origin,
/// facing down.
PlanarTarget overhead_target();

/// A 10 m x 10 m paraboloid below overhead_target(), sun overhead: 500 m and 0.5 m per mrad.
Scene on_axis_scene(const SunShape& sun_shape, const ErrorShape& slope_error);

}  // namespace helioray::validation
