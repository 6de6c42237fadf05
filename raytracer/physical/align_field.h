// SPDX-License-Identifier: MIT
// Turns the heliostats of a run to their targets.
#pragma once

#include "raytracer/geometry/aiming.h"
#include "raytracer/physical/field.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace helioray::physical {

/// Gaussian error of both axes, constant over a run.
struct TrackingError {
    double sigma = 0.0;  ///< radians, standard deviation of each axis; 0: none
    uint64_t seed = 0;
};

/// Errors of both axes of these heliostats, radians. A function of the seed and
/// the heliostat's index in the scenario alone, whichever other heliostats are active.
std::vector<std::array<double, 2>> axis_errors(const TrackingError& error,
                                               const std::vector<size_t>& heliostats);

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

/// Heliostats whose drives or places keep them from turning to their aim points, as indices in
/// Scenario::heliostats: align_field() would refuse them. Those with motor positions do not follow
/// the sun. num_threads: as for align_field().
std::vector<size_t> unreachable_heliostats(const std::vector<Aim>& aims,
                                           const Scenario& scenario,
                                           const Vec3& sun_direction,
                                           int num_threads = 0);

/// Lines about many heliostats: the first few, the others counted.
std::vector<std::string> first_lines(const std::vector<AlignmentNote>& notes,
                                     const Scenario& scenario);

}  // namespace helioray::physical
