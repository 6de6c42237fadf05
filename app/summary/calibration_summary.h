// SPDX-License-Identifier: MIT
// Table and JSON of calibrated heliostats.
#pragma once

#include "raytracer/calibration/calibrate_files.h"

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

/// The median tilt of the normal in mrad; "-" where the list is empty.
std::string median_text(const std::vector<calibration::Comparison>& list);

/// All records of a field that were predicted from the others.
std::vector<calibration::Comparison> all_left_out(
    const std::vector<calibration::HeliostatCalibration>& field);

/// Predictions whose nearest sun among the records that were fitted is so far away.
struct SunClass {
    double from = 0.0, to = 0.0;                ///< degrees
    std::vector<calibration::Comparison> list;  ///< at least one
};

/// From 0 to 180 degrees, classes without records left out.
std::vector<SunClass> by_sun_distance(const std::vector<calibration::Comparison>& all);

/// A number of the kinematics as scenario files have it.
struct FittedNumber {
    std::string name;    ///< its key
    double value = 0.0;  ///< m, rad or steps/m
    double sigma = 0.0;  ///< standard deviation, in the same unit
};

/// Those that a calibration could change.
std::vector<FittedNumber> fitted_numbers(const calibration::HeliostatCalibration& one);

/// Which drives were set to zero anew, when, and what that moved.
std::string epoch_reason(const calibration::EpochStart& epoch);

/// Heliostats for which a next measurement is known, those first whose variance of the aim error it
/// would lower most. The field outlives the list.
std::vector<const calibration::HeliostatCalibration*> most_useful_first(
    const std::vector<calibration::HeliostatCalibration>& field);

/// `heliostats` by name, and the whole field's figures.
/// remarks: lines about the files, as MeasuredField has them.
nlohmann::ordered_json calibration_json(const std::vector<calibration::HeliostatCalibration>& field,
                                        const std::vector<std::string>& remarks,
                                        double seconds);

/// A table with a row per heliostat, then rejected records, changes in time and remarks.
std::string calibration_text(const std::vector<calibration::HeliostatCalibration>& field,
                             double seconds);

/// What the state in a calibrated scenario holds, as lines.
std::string states_text(const std::vector<calibration::HeliostatState>& states);

/// The same for updates, of heliostats with new records: `updates` has all of these, `rejected` and
/// `test` some of them; `used` counts what the state holds, `records` the rejected ones besides.
/// states: after the updates.
nlohmann::ordered_json update_json(const std::vector<calibration::UpdatedRecord>& updates,
                                   const std::vector<calibration::HeliostatState>& states,
                                   double seconds);

/// A row per record.
std::string update_text(const std::vector<calibration::UpdatedRecord>& updates, double seconds);

}  // namespace helioray
