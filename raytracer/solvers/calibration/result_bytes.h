// SPDX-License-Identifier: MIT
// Serialises calibrations to exchange them between ranks. Internal to this folder.
#pragma once

#include "raytracer/solvers/calibration/calibrate.h"

#include <string>
#include <vector>

namespace helioray::calibration {

/// Serialises calibrations for other processes of the same program.
std::string bytes_of(const std::vector<HeliostatCalibration>& field);

/// Restores calibrations from bytes_of(), bit for bit. Throws std::runtime_error if bytes are
/// missing or left over.
std::vector<HeliostatCalibration> calibrations_of(const std::string& bytes);

}  // namespace helioray::calibration
