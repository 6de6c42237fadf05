// SPDX-License-Identifier: MIT
// Aim errors of mirrors, as used for robust limits.
#pragma once

#include "raytracer/run/prepare.h"

#include <vector>

namespace helioray::aiming {

/// Aim errors that the limits leave room for (aiming.robust_sigma).
struct AimErrors {
    /// Standard deviation of the mirror normal about each axis, radians, by heliostat of the
    /// scenario; empty if the limits leave no room.
    std::vector<double> sigma;
    /// True if `sigma` includes the expected errors of the scenario's calibration
    bool calibrated = false;
    bool tracking = false;  ///< True if `sigma` includes tracking errors
    /// Standard deviation of the tracking error, radians, by heliostat; empty like `sigma`.
    std::vector<double> tracking_sigma;

    bool any() const { return !sigma.empty(); }  ///< Returns true if the limits leave room
    double rms() const;  ///< Returns the root mean square over the heliostats, radians
};

/// Returns the aim errors of a run: tracking errors and, if its scenario file is calibrated, the
/// expected errors of its heliostats (heliostats without records have the errors of the priors).
/// The two are independent, so their squares add up. Tracking errors of a table of states count
/// with their largest values. Throws InputError if the file is damaged.
AimErrors aim_errors(const run::PreparedRun& run);

}  // namespace helioray::aiming
