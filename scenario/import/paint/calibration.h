// SPDX-License-Identifier: MIT
// Calibration records of the PAINT database: positions of sun and motors for a flux image.
#pragma once

#include "scenario/types/types.h"

#include <array>
#include <filesystem>
#include <map>
#include <string>

namespace helioray {

/// One `<id>-calibration-properties.json`, with the units and sign conventions of this library.
struct PaintCalibration {
    std::filesystem::path file;  ///< path of the file
    std::string id;              ///< part of the file name before "-calibration-properties"
    std::string target;          ///< name of a target of the tower file
    std::array<double, 2> motor_positions{};  ///< motor positions, steps
    double sun_azimuth = 0.0;    ///< azimuth of the sun, radians, clockwise from north, [0, 2 pi)
    double sun_elevation = 0.0;  ///< elevation of the sun, radians
    /// Focal spots, metres, ENU, by the method that located them.
    std::map<std::string, Vec3> focal_spots;
    /// Time of the image, ISO 8601, from `<id>-calibration-item-stac.json` beside the file; empty
    /// if that file does not exist.
    std::string time;
};

/// Reads a record. Azimuths in the files are relative to south, positive towards the east and
/// negative towards the west. `plant` is the origin of the focal spots' frame. Throws InputError
/// with all problems: syntax, missing keys, wrong types, a sun below the horizon.
PaintCalibration read_paint_calibration(const std::filesystem::path& path,
                                        const GeodeticPosition& plant,
                                        bool exact_geodesy = false);

/// Throws InputError with all reasons why the record cannot be run with this scenario: unknown
/// heliostat or target, drives that do not count steps, motor positions out of range.
void check_calibration(const PaintCalibration& calibration,
                       const std::string& heliostat,
                       const Scenario& scenario);

/// Returns a run configuration (YAML) of this record: sun, target, motor positions, only this
/// heliostat active. `scenario_file` is written as given, so it must be relative to the
/// configuration; outputs are called `stem`.h5 and .png.
std::string calibration_config(const PaintCalibration& calibration,
                               const std::string& heliostat,
                               const std::string& scenario_file,
                               const std::string& stem);

}  // namespace helioray
