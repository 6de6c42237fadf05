// SPDX-License-Identifier: MIT
// Serialises calibrations for other processes.
#pragma once

#include "raytracer/solvers/calibration/calibrate_files.h"

#include <string>
#include <vector>

namespace helioray::calibration {

/// Serialises calibrations for other processes of the same program.
std::string bytes_of(const std::vector<HeliostatCalibration>& field);

/// Restores calibrations from bytes_of(), bit for bit. Throws std::runtime_error if bytes are
/// missing or left over.
std::vector<HeliostatCalibration> restore_calibrations(const std::string& bytes);

/// Serialises the outcome of a calibration without its scenario and states.
std::string bytes_of(const CalibratedField& field);

/// Restores an outcome from bytes_of(), without scenario and states. Throws like
/// restore_calibrations().
CalibratedField restore_calibrated_field(const std::string& bytes);

}  // namespace helioray::calibration
