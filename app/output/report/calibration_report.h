// SPDX-License-Identifier: MIT
// Writes a calibration as one self-contained web page.
#pragma once

#include "raytracer/solvers/calibration/calibrate.h"
#include "scenario/types/types.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Returns a complete HTML document: headline numbers; the pictures of residual_arrows() and
/// expected_errors(); tables of errors by sun distance, of heliostats with their parameters and
/// standard deviations (the first hundred with records), of test records, of rejected records with
/// reasons, of changes in time and remarks, and of the most useful next measurements. `scenario` is
/// the calibrated scenario; `output` is the file it was written to, or empty; `title` replaces the
/// usual title.
std::string calibration_report(const std::vector<calibration::HeliostatCalibration>& field,
                               const Scenario& scenario,
                               const std::string& output,
                               const std::optional<std::string>& title = {});

}  // namespace helioray
