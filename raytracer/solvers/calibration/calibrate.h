// SPDX-License-Identifier: MIT
// Estimates the kinematics of heliostats, with their uncertainty, from measured spots.
#pragma once

#include "raytracer/solvers/calibration/model/fit.h"
#include "raytracer/solvers/calibration/model/mirror_shift.h"
#include "raytracer/tracing/job/field_ranks.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray::calibration {

/// A record that was rejected.
struct Rejection {
    std::string record;  ///< Id of the record.
    std::string reason;  ///< Reason for the rejection, one phrase.
};

/// A record that counted in a calibration.
struct CountedRecord {
    std::string identity;       ///< Identity of the record, see identity_of().
    size_t epoch = 0;           ///< Index of the record's epoch; 0 is the oldest.
    std::optional<double> day;  ///< Julian day; empty if unknown.
    Vec3 to_sun{};              ///< Unit vector to the sun; zero if the file is too old to list it.
};

/// Input of the calibration of one heliostat.
struct HeliostatRecords {
    std::string name;                 ///< Name of the heliostat, for messages.
    KinematicsRecord nominal;         ///< Nominal kinematics; a rigid body.
    std::vector<SpotRecord> records;  ///< Records to fit; may be empty.
    std::vector<SpotRecord> test;     ///< Records that are predicted but not fitted.
    std::vector<Rejection> rejected;  ///< Records that could not be read completely.
    /// Pieces of the mirror, with which spots are measured at the centroid of their light. If
    /// empty, spots are measured at the reflection of the mirror's centre.
    std::vector<MirrorElement> mirror;
    /// Shift of the position to the east, m, if the file may use an older coordinate frame. The
    /// records decide whether it is applied.
    std::optional<double> frame_shift_east;
};

/// Settings of a calibration.
struct CalibrationOptions {
    /// Set of parameters to fit; empty to average over all sets by their evidence.
    std::optional<Level> level;
    bool left_out = true;          ///< Predict every record from the others.
    bool next_measurement = true;  ///< Search for the most useful measurement.
    double latitude_deg = 0.0;     ///< Latitude of the plant, degrees.
    int num_threads = 0;           ///< Number of threads; 0 uses all cores.
    /// Ranks that share the work. Every rank has the whole input and gets the whole output.
    FieldRanks ranks;
};

/// Start of a new epoch.
struct EpochStart {
    std::string record;                ///< Id of the first record of the epoch.
    std::string last_before;           ///< Id of the last record of the preceding epoch.
    std::array<double, 2> stroke_m{};  ///< shift of the start of both spindles, m
    double tilt = 0.0;                 ///< Change of the normal of these records, radians.
};

/// Comparison of a predicted spot with the measured one.
struct Comparison {
    std::string record;  ///< Id of the record.
    Vec3 to_sun{};       ///< Unit vector to the sun.
    std::string target;  ///< Name of the target.
    /// Predicted spot, m, ENU; empty if the light misses the plane.
    std::optional<Vec3> predicted;
    Vec3 measured{};                     ///< Measured spot, m, ENU.
    std::array<double, 2> offset_m{};    ///< Predicted minus measured spot, right and up, m.
    double error_m = 0.0;                ///< Length of the offset, m.
    double error = 0.0;                  ///< Tilt of the normal, radians.
    std::array<double, 4> covariance{};  ///< Covariance of the offset, right and up, m2.
    /// Squared Mahalanobis distance of the offset, a chi-square with two degrees of freedom.
    double mahalanobis = 0.0;
    double sun_distance = 0.0;  ///< Angle to the nearest fitted sun, radians.
};

/// A suggested next measurement.
struct NextMeasurement {
    double sun_azimuth = 0.0;    ///< Azimuth of the sun, radians clockwise from north.
    double sun_elevation = 0.0;  ///< Elevation of the sun, radians.
    std::string target;          ///< Name of the target.
    double aim_error = 0.0;  ///< HeliostatCalibration::aim_error after this measurement, radians.
};

/// Result of the calibration of one heliostat.
struct HeliostatCalibration {
    std::string name;                    ///< Name of the heliostat.
    size_t records = 0;                  ///< Number of records given.
    size_t used = 0;                     ///< Number of records that counted.
    std::vector<CountedRecord> counted;  ///< Records that counted.
    std::vector<Rejection> rejected;     ///< Rejected records, in the order of the records.
    std::vector<EpochStart> epochs;      ///< Changes in time, oldest first.
    KinematicsRecord nominal;            ///< Nominal kinematics in the frame that was chosen.
    KinematicsRecord kinematics;         ///< Calibrated kinematics of the last epoch.
    std::vector<double> unknowns;        ///< Parameters, in prior standard deviations.
    SquareMatrix covariance;             ///< Covariance of `unknowns`.
    std::vector<double> prior_sigmas;    ///< Prior standard deviations of the parameters.
    SquareMatrix column_covariance;      ///< Covariance of the numbers of the kinematics.
    double scale = 0.0;  ///< Scale of Student's distribution of the residuals, radians.
    /// @{
    /// Weighted square of the residuals, radians squared, and the number of values that it is
    /// worth, without those that the parameters have determined. The field's scale is estimated
    /// from both.
    double residual_square = 0.0;
    double residual_numbers = 0.0;
    /// @}
    /// Standard deviation of the normal far from all fitted suns, in addition to that of the
    /// parameters, radians. All heliostats of the field have the same value.
    double bending = 0.0;
    /// Logarithms of the likelihood of the candidate values that the field's errors are averaged
    /// over. Empty once the errors are known.
    std::vector<double> error_likelihood;
    std::optional<double> last_day;  ///< Julian day of the latest record used; empty if unknown.
    /// Weights of the sets of parameters; their sum is 1.
    std::array<double, kLevels> level_weights{};
    /// Used records with the nominal kinematics; without covariance.
    std::vector<Comparison> before;
    /// Used records with a fit of all of them; without covariance.
    std::vector<Comparison> fitted;
    std::vector<Comparison> left_out;  ///< Used records, each predicted from the others.
    std::vector<Comparison> test;      ///< Records that were predicted but not fitted.
    /// Standard deviation of the normal about each axis, averaged over suns and targets, radians.
    double aim_error = 0.0;
    /// Suggested next measurement; empty if not searched for or if none helps.
    std::optional<NextMeasurement> next;
    std::vector<std::string> remarks;  ///< Assumptions that were made, one phrase each.
};

/// Calibrates every heliostat of a field. `targets` lists the targets for aiming, by name.
/// Heliostats depend on each other only through their priors; the result does not depend on the
/// number of threads and ranks. Collective if there are several ranks. Throws InputError for
/// kinematics that are not rigid bodies.
std::vector<HeliostatCalibration> calibrate(
    const std::vector<HeliostatRecords>& field,
    const std::vector<std::pair<std::string, TargetPlane>>& targets,
    const CalibrationOptions& options);

/// Predicts the spot of a record for given unknowns. `noise` is the standard deviation of a
/// measurement in radians. `covariance` is that of the unknowns; if it is null, the covariance of
/// the result stays 0.
Comparison compare(const SpotFitter& fitter,
                   const SpotRecord& record,
                   size_t epoch,
                   const std::vector<double>& unknowns,
                   const SquareMatrix* covariance,
                   double noise);

}  // namespace helioray::calibration
