// SPDX-License-Identifier: MIT
// Calibration records of the PAINT database: where sun and motors stood while a flux image was
// taken.
#pragma once

#include "scenario/types.h"

#include <array>
#include <filesystem>
#include <map>
#include <string>

namespace helioray {

/// One `<id>-calibration-properties.json`, in the units and senses of this library.
struct PaintCalibration {
    std::filesystem::path file;  ///< what was read
    std::string id;              ///< the text before "-calibration-properties" in the file name
    std::string target;          ///< name of a target of the tower file
    std::array<double, 2> motor_positions{};  ///< steps
    double sun_azimuth = 0.0;                 ///< radians, clockwise from north, [0, 2 pi)
    double sun_elevation = 0.0;               ///< radians
    std::map<std::string, Vec3> focal_spots;  ///< metres, ENU, by the method that found them
    /// When the image was taken, ISO 8601, from `<id>-calibration-item-stac.json` beside the file;
    /// empty where there is none.
    std::string time;
};

/// Reads a record. The files count the azimuth from south, positive towards the east and negative
/// towards the west; `plant` is the origin of the focal spots' frame.
/// Throws InputError with all problems: syntax, missing keys, wrong types, a sun below the horizon.
PaintCalibration read_paint_calibration(const std::filesystem::path& path,
                                        const GeodeticPosition& plant,
                                        bool exact_geodesy = false);

/// Throws InputError with all reasons why the record cannot be run with this scenario: unknown
/// heliostat or target, drives that do not count steps, motor positions out of their range.
void check_calibration(const PaintCalibration& calibration,
                       const std::string& heliostat,
                       const Scenario& scenario);

/// A run configuration (YAML) of this record: sun, target, motor positions, this heliostat alone
/// active. `scenario_file` is as it shall stand there, relative to the configuration; outputs are
/// called `stem`.h5 and .png.
std::string calibration_config(const PaintCalibration& calibration,
                               const std::string& heliostat,
                               const std::string& scenario_file,
                               const std::string& stem);

}  // namespace helioray
