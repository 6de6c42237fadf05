// SPDX-License-Identifier: MIT
// Calibrations on their way from one rank to another. Internal to this folder.
#pragma once

#include "raytracer/calibration/calibrate.h"

#include <string>
#include <vector>

namespace helioray::calibration {

/// All that is known about heliostats as bytes, for other processes of the same program.
std::string bytes_of(const std::vector<HeliostatCalibration>& field);

/// The calibrations that these bytes were made of, bit for bit. Throws std::runtime_error where
/// bytes are missing or left over.
std::vector<HeliostatCalibration> calibrations_of(const std::string& bytes);

}  // namespace helioray::calibration
