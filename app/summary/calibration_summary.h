// SPDX-License-Identifier: MIT
// Table and JSON of calibrated heliostats.
#pragma once

#include "raytracer/calibration/calibrate.h"
#include "raytracer/calibration/state.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace helioray {

/// How many predictions lie inside of their ellipses, and how far off they are.
struct ComparisonFigures {
    size_t count = 0;
    double median = 0.0;     ///< tilt of the normal, radians
    double mean = 0.0;       ///< tilt of the normal, radians
    double inside_68 = 0.0;  ///< share inside of the ellipse of 68 %
    double inside_95 = 0.0;  ///< share inside of the ellipse of 95 %
};

/// Figures of a list; all 0 where it is empty.
ComparisonFigures figures_of(const std::vector<calibration::Comparison>& list);

/// `heliostats` by name, and the whole field's figures.
nlohmann::ordered_json calibration_json(const std::vector<calibration::HeliostatCalibration>& field,
                                        double seconds);

/// A table with a row per heliostat, then rejected records, changes in time and remarks.
std::string calibration_text(const std::vector<calibration::HeliostatCalibration>& field,
                             double seconds);

/// One record that was taken into a state.
struct UpdatedRecord {
    std::string heliostat;  ///< name
    std::string record;     ///< id
    calibration::Update update;
    double seconds = 0.0;  ///< that the filter took
};

/// The same for updates: `heliostats.<name>.updates`.
nlohmann::ordered_json update_json(const std::vector<UpdatedRecord>& updates, double seconds);

/// A row per record.
std::string update_text(const std::vector<UpdatedRecord>& updates, double seconds);

}  // namespace helioray
