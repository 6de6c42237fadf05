// SPDX-License-Identifier: MIT
// How far mirrors may be off, as robust limits count it.
#pragma once

#include "raytracer/run/prepare.h"

#include <vector>

namespace helioray::aiming {

/// Errors that limits leave room for (aiming.robust_sigma).
struct AimErrors {
    /// Standard deviation of the normal about each axis, radians, by heliostat of the scenario;
    /// empty where limits leave no room.
    std::vector<double> sigma;
    bool calibrated = false;  ///< expected errors of the scenario's calibration are part of it
    bool tracking = false;    ///< optics.tracking_error is part of it

    bool any() const { return !sigma.empty(); }  ///< whether limits leave room
    double rms() const;                          ///< root mean square of the heliostats, radians
};

/// Of a run: tracking errors, and where its scenario file is calibrated the expected errors of its
/// heliostats (those without records have the errors of the priors). Independent of each other, so
/// that their squares add up. Throws InputError for a damaged file.
AimErrors aim_errors(const run::PreparedRun& run);

}  // namespace helioray::aiming
