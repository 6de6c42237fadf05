// SPDX-License-Identifier: MIT
// A calibration as one web page that needs no other file.
#pragma once

#include "raytracer/calibration/calibrate.h"
#include "scenario/types.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A complete HTML document: headline numbers; the pictures of residual_arrows() and
/// expected_errors(); tables of errors by sun distance, of heliostats with their parameters and
/// standard deviations (the first hundred with records), of records that were only predicted, of
/// rejected records with reasons, of changes in time and remarks, and of the most useful next
/// measurements. scenario: the one that was calibrated; output: the file it was written
/// to, empty for none. title: in place of the usual one.
std::string calibration_report(const std::vector<calibration::HeliostatCalibration>& field,
                               const Scenario& scenario,
                               const std::string& output,
                               const std::optional<std::string>& title = {});

}  // namespace helioray
