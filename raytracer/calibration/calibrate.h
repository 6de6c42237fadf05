// SPDX-License-Identifier: MIT
// The kinematics of heliostats from measured spots, with their uncertainty.
#pragma once

#include "raytracer/calibration/fit.h"
#include "raytracer/calibration/mirror_shift.h"
#include "raytracer/job/field_ranks.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray::calibration {

/// A record that did not count.
struct Rejection {
    std::string record;  ///< its id
    std::string reason;  ///< one phrase
};

/// A record that counted.
struct CountedRecord {
    std::string identity;       ///< see identity_of()
    size_t epoch = 0;           ///< from 0, the oldest
    std::optional<double> day;  ///< Julian day; nothing: unknown
    Vec3 to_sun{};              ///< unit vector; 0 from older files, which know no bending
};

/// Everything that is known about one heliostat before it is calibrated.
struct HeliostatRecords {
    std::string name;                 ///< for messages
    KinematicsRecord nominal;         ///< rigid body
    std::vector<SpotRecord> records;  ///< any number
    std::vector<SpotRecord> test;     ///< only predicted
    std::vector<Rejection> rejected;  ///< records that could not be read in full
    /// Its pieces: spots are measured at the centroid of their light. Empty: at the reflection of
    /// the mirror's centre.
    std::vector<MirrorElement> mirror;
    /// How far east the position might have to move (metres), where its file may be of an older
    /// frame; the records decide.
    std::optional<double> frame_shift_east;
};

/// How to calibrate.
struct CalibrationOptions {
    std::optional<Level> level;    ///< nothing: average over all, weighted by their evidence
    bool left_out = true;          ///< predict every record from the others
    bool next_measurement = true;  ///< look for the most useful measurement
    double latitude_deg = 0.0;     ///< of the plant
    int num_threads = 0;           ///< 0: all cores
    FieldRanks ranks;              ///< every one of them has all the input and gets all the output
};

/// Where a new epoch begins.
struct EpochStart {
    std::string record;       ///< id of its first record
    std::string last_before;  ///< id of the last record before
    std::array<double, 2>
        stroke_m{};     ///< how far both spindles' starts moved at this point, metres
    double tilt = 0.0;  ///< by how much the normal of these records moved, radians
};

/// A predicted spot beside the measured one.
struct Comparison {
    std::string record;                  ///< its id
    Vec3 to_sun{};                       ///< unit vector
    std::string target;                  ///< name
    std::optional<Vec3> predicted;       ///< metres, ENU; nothing when the light misses the plane
    Vec3 measured{};                     ///< metres, ENU
    std::array<double, 2> offset_m{};    ///< predicted minus measured, right and up on the target
    double error_m = 0.0;                ///< length of the offset
    double error = 0.0;                  ///< tilt of the normal, radians
    std::array<double, 4> covariance{};  ///< m2, right and up on the target, of the offset
    /// Square of the offset in units of its standard deviation; the chi-square of two numbers.
    double mahalanobis = 0.0;
    double sun_distance = 0.0;  ///< radians, to the nearest sun among the records fitted
};

/// A measurement that would help.
struct NextMeasurement {
    double sun_azimuth = 0.0;    ///< radians, clockwise from north
    double sun_elevation = 0.0;  ///< radians
    std::string target;          ///< name
    double aim_error = 0.0;      ///< HeliostatCalibration::aim_error afterwards, radians
};

/// What was found out about one heliostat.
struct HeliostatCalibration {
    std::string name;                    ///< of the heliostat
    size_t records = 0;                  ///< given
    size_t used = 0;                     ///< counted
    std::vector<CountedRecord> counted;  ///< those that were used
    std::vector<Rejection> rejected;     ///< in the order of the records
    std::vector<EpochStart> epochs;      ///< changes in time, oldest first
    KinematicsRecord nominal;            ///< in the frame that was chosen
    KinematicsRecord kinematics;         ///< of the last epoch
    std::vector<double> unknowns;        ///< of the parameters, in prior standard deviations
    SquareMatrix covariance;             ///< of these unknowns
    std::vector<double> prior_sigmas;    ///< of the parameters
    SquareMatrix column_covariance;      ///< of the numbers of the kinematics
    double scale = 0.0;                  ///< radians: Student's scale of the residuals
    /// Weighted square of the residuals, radians squared, and how many numbers it counts like,
    /// those that the parameters took up left out; the field's scale follows from them.
    double residual_square = 0.0;
    double residual_numbers = 0.0;
    /// Standard deviation of the normal far from all suns that were fitted, beyond that of the
    /// parameters, radians; the field's.
    double bending = 0.0;
    /// Logarithms, for the values that the field's errors are averaged over; empty once they are
    /// known.
    std::vector<double> error_likelihood;
    std::optional<double> last_day;  ///< Julian day of the latest record used; nothing: unknown
    std::array<double, kLevels> level_weights{};  ///< add up to 1
    std::vector<Comparison> before;    ///< records used, nominal kinematics; without covariance
    std::vector<Comparison> fitted;    ///< records used, all of them fitted; without covariance
    std::vector<Comparison> left_out;  ///< records used, each predicted from the others
    std::vector<Comparison> test;      ///< records that were only predicted
    /// Standard deviation of the normal about each axis, over suns and targets; radians.
    double aim_error = 0.0;
    std::optional<NextMeasurement> next;  ///< nothing where none was looked for, or none helps
    std::vector<std::string> remarks;     ///< what was assumed, a phrase each
};

/// Calibrates every heliostat of a field. targets: where light can be aimed at, by name.
/// Heliostats are independent of each other but for their priors; the result does not depend on
/// the number of threads and ranks. Collective where there are several ranks. Throws InputError for
/// kinematics that are not rigid bodies.
std::vector<HeliostatCalibration> calibrate(
    const std::vector<HeliostatRecords>& field,
    const std::vector<std::pair<std::string, TargetPlane>>& targets,
    const CalibrationOptions& options);

/// A spot for given unknowns. noise: standard deviation of a measurement, radians; covariance of
/// the unknowns: null where the expected error does not matter and stays 0.
Comparison compare(const SpotFitter& fitter,
                   const SpotRecord& record,
                   size_t epoch,
                   const std::vector<double>& unknowns,
                   const SquareMatrix* covariance,
                   double noise);

}  // namespace helioray::calibration
