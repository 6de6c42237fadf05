// SPDX-License-Identifier: MIT
// Combines the aim errors of configuration and calibration.
#include "raytracer/solvers/aiming/model/aim_errors.h"

#include "raytracer/solvers/calibration/state.h"
#include "scenario/types/state_bounds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace helioray::aiming {

double AimErrors::rms() const {
    double squares = 0.0;
    for (const double value : sigma) squares += value * value;
    return sigma.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(sigma.size()));
}

AimErrors aim_errors(const run::PreparedRun& run) {
    AimErrors errors;
    if (!run.config.aiming.is_robust()) return errors;
    // Only a scenario that was read from a file can be calibrated.
    std::map<std::string, double> expected;
    if (!run.scenario_sha256.empty()) expected = calibration::read_aim_errors(run.config.scenario);
    for (const Heliostat& heliostat : run.scenario->heliostats) {
        const auto found = expected.find(heliostat.name);
        const double own = found == expected.end() ? 0.0 : found->second;
        const double tracking = largest_value(run.config.state,
                                              heliostat.name,
                                              &MirrorState::tracking_error,
                                              run.config.optics.tracking_error);
        errors.tracking = errors.tracking || tracking > 0.0;
        errors.tracking_sigma.push_back(tracking);
        errors.calibrated = errors.calibrated || own > 0.0;
        errors.sigma.push_back(std::hypot(tracking, own));
    }
    if (!errors.tracking && !errors.calibrated) {
        errors.sigma.clear();
        errors.tracking_sigma.clear();
    }
    return errors;
}

}  // namespace helioray::aiming
