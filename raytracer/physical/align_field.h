// SPDX-License-Identifier: MIT
// Turns the heliostats of a run to their targets.
#pragma once

#include "raytracer/aiming.h"
#include "raytracer/physical/field.h"
#include "raytracer/physical/tracking_error.h"

#include <string>
#include <vector>

namespace helioray::physical {

/// Something that users should know of the alignment of one heliostat (motor limits).
struct AlignmentNote {
    size_t heliostat = 0;  ///< index in Scenario::heliostats
    std::string text;
};

/// Heliostats that have been turned.
struct AlignedField {
    std::vector<AimedHeliostat> heliostats;  ///< as many as aims
    std::vector<AlignmentNote> notes;
};

/// Aligns heliostats and turns them away by their tracking errors. Throws InputError listing every
/// heliostat that cannot be aligned. num_threads: at most so many; 0: one for each core.
AlignedField align_field(const std::vector<Aim>& aims,
                         const Scenario& scenario,
                         const Vec3& sun_direction,
                         const TrackingError& tracking_error,
                         int num_threads = 0);

/// Lines about many heliostats: the first few, the others counted.
std::vector<std::string> first_lines(const std::vector<AlignmentNote>& notes,
                                     const Scenario& scenario);

}  // namespace helioray::physical
