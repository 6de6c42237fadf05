// SPDX-License-Identifier: MIT
// Fixed strategies for aim points, which do not optimise.
#pragma once

#include "raytracer/solvers/aiming/model/flux_model.h"
#include "raytracer/solvers/aiming/search/optimize.h"

#include <vector>

namespace helioray::aiming {

/// Aims at half the height of the target, at the horizontal position nearest to the heliostat,
/// shifted so that the image fits on the target. nearest: nearest point of the target, per
/// heliostat.
std::vector<Setting> aim_at_equator(const FluxModel& model,
                                    const std::vector<SurfacePoint>& nearest,
                                    const std::vector<Range2>& ranges);

/// Aims `factor` standard deviations of the image away from the edges, alternating between the
/// upper and the lower edge, or between the four corners if aim points also move horizontally. The
/// heliostats of one target alternate in the order of their horizontal position.
std::vector<Setting> aim_by_spread(const FluxModel& model,
                                   const std::vector<SurfacePoint>& nearest,
                                   const std::vector<Range2>& ranges,
                                   double factor);

/// Places one heliostat after the other, the largest image first. Each aims where the flux already
/// present under its image is weakest, `factor` standard deviations away from the edges. Follows
/// SolarPILOT's image size priority (Wagner and Wendelin 2018). wanted: target power per cell, W;
/// the weakest place is then the one furthest below its target. If empty, the target is uniform.
std::vector<Setting> aim_by_image_size(const FluxModel& model,
                                       const std::vector<SurfacePoint>& nearest,
                                       const std::vector<Range2>& ranges,
                                       double factor,
                                       const std::vector<double>& wanted = {});

}  // namespace helioray::aiming
