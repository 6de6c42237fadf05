// SPDX-License-Identifier: MIT
// Creates tables and JSON of calibrated heliostats.
#pragma once

#include "raytracer/solvers/calibration/calibrate_files.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace helioray {

/// Errors of predictions, and the fractions of them inside their error ellipses.
struct ComparisonFigures {
    size_t count = 0;
    double median = 0.0;     ///< tilt of the normal, radians
    double mean = 0.0;       ///< tilt of the normal, radians
    double inside_68 = 0.0;  ///< fraction inside the ellipse of 68 %
    double inside_95 = 0.0;  ///< fraction inside the ellipse of 95 %
};

/// Returns the figures of a list; all are 0 for an empty one.
ComparisonFigures compute_figures(const std::vector<calibration::Comparison>& list);

/// Returns an angle in mrad with two decimals.
std::string mrad_text(double radians);

/// Returns the cells of a heliostat in the tables of a field: name, records, records that counted,
/// epochs, then in mrad the median tilt of the normal before, fitted and left out, and the expected
/// aim error.
std::vector<std::string> heliostat_cells(const calibration::HeliostatCalibration& heliostat);

/// Returns the median tilt of the normal in mrad; "-" for an empty list.
std::string median_text(const std::vector<calibration::Comparison>& list);

/// Returns all records of a field that were predicted from the others.
std::vector<calibration::Comparison> all_left_out(
    const std::vector<calibration::HeliostatCalibration>& field);

/// Predictions whose nearest sun among the fitted records is between `from` and `to` away.
struct SunClass {
    double from = 0.0, to = 0.0;                ///< degrees
    std::vector<calibration::Comparison> list;  ///< predictions, at least one
};

/// Returns the classes from 0 to 180 degrees, without those that have no records.
std::vector<SunClass> by_sun_distance(const std::vector<calibration::Comparison>& all);

/// A parameter of the kinematics as in scenario files.
struct FittedNumber {
    std::string name;    ///< key of the parameter
    double value = 0.0;  ///< m, rad or steps/m
    double sigma = 0.0;  ///< standard deviation in the same unit
};

/// Returns the parameters that a calibration could change.
std::vector<FittedNumber> fitted_numbers(const calibration::HeliostatCalibration& heliostat);

/// Returns the drives whose zero was set again, the time, and the resulting movement.
std::string epoch_reason(const calibration::EpochStart& epoch);

/// Returns the heliostats with a suggested next measurement. They are sorted by the expected
/// reduction of the variance of their aim error, largest first. The field outlives the list.
std::vector<const calibration::HeliostatCalibration*> most_useful_first(
    const std::vector<calibration::HeliostatCalibration>& field);

/// Returns JSON with `heliostats` by name and the figures of the whole field. `remarks` are lines
/// about the files, from MeasuredField.
nlohmann::ordered_json calibration_json(const std::vector<calibration::HeliostatCalibration>& field,
                                        const std::vector<std::string>& remarks,
                                        double seconds);

/// Returns a table with a row per heliostat, followed by rejected records, changes in time and
/// remarks.
std::string calibration_text(const std::vector<calibration::HeliostatCalibration>& field,
                             double seconds);

/// Returns lines about the state in a calibrated scenario.
std::string states_text(const std::vector<calibration::HeliostatState>& states);

/// Returns JSON of updates for the heliostats with new records. `updates` lists all new records;
/// `rejected` and `test` list some of them. `used` counts the records in the state, `records` also
/// the rejected ones. `states` are those after the updates.
nlohmann::ordered_json update_json(const std::vector<calibration::UpdatedRecord>& updates,
                                   const std::vector<calibration::HeliostatState>& states,
                                   double seconds);

/// Returns a table with a row per record.
std::string update_text(const std::vector<calibration::UpdatedRecord>& updates, double seconds);

}  // namespace helioray
