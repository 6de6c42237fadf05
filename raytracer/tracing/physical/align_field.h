// SPDX-License-Identifier: MIT
// Aligns the heliostats of a run with their targets.
#pragma once

#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/physical/field.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace helioray::physical {

/// Tracking error of one heliostat.
struct OwnTrackingError {
    double sigma = 0.0;            ///< standard deviation of each axis, radians
    std::array<double, 2> bias{};  ///< constant error of each axis, radians
};

/// Gaussian tracking error of both axes, constant over a run.
struct TrackingError {
    double sigma = 0.0;  ///< standard deviation of each axis, radians; 0 for no error
    uint64_t seed = 0;
    /// Errors by heliostat of the scenario, instead of `sigma`; empty: all have the same.
    std::vector<OwnTrackingError> own = {};
};

/// Returns the errors of both axes of these heliostats, radians. They depend only on the seed and
/// the heliostat's index in the scenario, not on the other active heliostats.
std::vector<std::array<double, 2>> axis_errors(const TrackingError& error,
                                               const std::vector<size_t>& heliostats);

/// A note for users about the alignment of one heliostat (motor limits).
struct AlignmentNote {
    size_t heliostat = 0;  ///< index in Scenario::heliostats
    std::string text;
};

/// Aligned heliostats with notes for users.
struct AlignedField {
    std::vector<AimedHeliostat> heliostats;  ///< one entry per aim
    std::vector<AlignmentNote> notes;
};

/// Aligns heliostats and adds their tracking errors. num_threads: largest number of threads; 0
/// means one per core. Throws InputError listing every heliostat that cannot be aligned.
AlignedField align_field(const std::vector<Aim>& aims,
                         const Scenario& scenario,
                         const Vec3& sun_direction,
                         const TrackingError& tracking_error,
                         int num_threads = 0);

/// Returns the heliostats whose drives or positions prevent them from pointing at their aim points,
/// as indices in Scenario::heliostats; align_field() would refuse them. Heliostats with motor
/// positions do not follow the sun and are not checked. num_threads: as for align_field().
std::vector<size_t> unreachable_heliostats(const std::vector<Aim>& aims,
                                           const Scenario& scenario,
                                           const Vec3& sun_direction,
                                           int num_threads = 0);

/// Formats notes about many heliostats: the first few, and the number of the others.
std::vector<std::string> first_lines(const std::vector<AlignmentNote>& notes,
                                     const Scenario& scenario);

}  // namespace helioray::physical
