// SPDX-License-Identifier: MIT
// Turns the heliostats of a run to their targets.
#pragma once

#include "raytracer/aiming.h"
#include "raytracer/physical/field.h"
#include "raytracer/physical/tracking_error.h"

#include <string>
#include <vector>

namespace helioray::physical {

/// Aligned heliostats, turned away by their tracking errors and ordered by target (then as given).
/// Appends to warnings what users should know (motor limits); throws InputError listing every
/// heliostat that cannot be aligned. num_threads: at most so many; 0: one for each core.
std::vector<AimedHeliostat> align_field(const std::vector<Aim>& aims,
                                        const Scenario& scenario,
                                        const Vec3& sun_direction,
                                        const TrackingError& tracking_error,
                                        std::vector<std::string>& warnings,
                                        int num_threads = 0);

}  // namespace helioray::physical
