// SPDX-License-Identifier: MIT
// Aim points by rules, without a search for the best.
#pragma once

#include "raytracer/aiming/flux_model.h"
#include "raytracer/aiming/optimize.h"

#include <vector>

namespace helioray::aiming {

/// Half way up, across where the target is nearest to the heliostat, as far as the image fits.
/// nearest: by heliostat.
std::vector<Setting> aim_at_equator(const FluxModel& model,
                                    const std::vector<SurfacePoint>& nearest,
                                    const std::vector<Range2>& ranges);

/// `factor` standard deviations of the image away from the edges, in turn at the upper and the
/// lower one; where aim points move across too, in turn at the four corners. Heliostats of one
/// target follow each other by their place across it.
std::vector<Setting> aim_by_spread(const FluxModel& model,
                                   const std::vector<SurfacePoint>& nearest,
                                   const std::vector<Range2>& ranges,
                                   double factor);

/// One heliostat after the other, the one with the largest image first: to where the light that it
/// would join is weakest, `factor` standard deviations away from the edges. After SolarPILOT's
/// image size priority (Wagner and Wendelin 2018). wanted: W by cell; the weakest light is what is
/// furthest below it; empty: the same everywhere.
std::vector<Setting> aim_by_image_size(const FluxModel& model,
                                       const std::vector<SurfacePoint>& nearest,
                                       const std::vector<Range2>& ranges,
                                       double factor,
                                       const std::vector<double>& wanted = {});

}  // namespace helioray::aiming
