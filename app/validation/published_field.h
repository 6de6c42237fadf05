// SPDX-License-Identifier: MIT
// Sources, field and suns of the rounds of Wang et al., Solar Energy 195 (2020) 461-474.
#pragma once

#include "app/validation/scene.h"

#include <vector>

namespace helioray::validation {

// Sources of the published figures: the mean of all tools, and tools with one calibration of Buie's
// sun.
inline constexpr const char* kMean = "Wang 2020, mean of tools";
inline constexpr const char* kSolstice = "Wang 2020, Solstice";
inline constexpr const char* kTracer = "Wang 2020, Tracer";

/// Returns the positions of all 522 heliostats, metres, ENU.
std::vector<Vec3> published_positions();

/// Returns a vertical billboard 8 m wide and 6 m high at a height of 62 m, facing north.
PlanarTarget published_receiver();

/// Returns a scene with mirrors of 10 m x 10 m focused on the receiver's centre, slope error 2
/// mrad, reflectivity 1.
Scene published_scene(const std::vector<Vec3>& positions,
                      const SunAngles& sun,
                      const SunShape& sun_shape);

/// Return the suns of the two hours of both rounds.
SunAngles published_noon();
SunAngles published_morning();

}  // namespace helioray::validation
