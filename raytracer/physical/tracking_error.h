// SPDX-License-Identifier: MIT
// Tracking errors: how far the axes of a heliostat stand from where they were sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace helioray::physical {

/// Gaussian error of both axes, constant over a run.
struct TrackingError {
    double sigma = 0.0;  ///< radians, standard deviation of each axis; 0: none
    uint64_t seed = 0;
};

/// Errors of both axes of these heliostats, radians. A function of the seed and
/// the heliostat's index in the scenario alone: whoever else is active changes nothing.
std::vector<std::array<double, 2>> axis_errors(const TrackingError& error,
                                               const std::vector<size_t>& heliostats);

}  // namespace helioray::physical
