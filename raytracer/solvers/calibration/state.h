// SPDX-License-Identifier: MIT
// Stores the state of a calibration in a scenario file and updates it with single records.
#pragma once

#include "raytracer/solvers/calibration/calibrate.h"
#include "scenario/types/types.h"
#include "scenario/writer/scenario_writer.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray::calibration {

/// A heliostat's parameters with their uncertainty, the input of an update.
struct HeliostatState {
    std::string name;          ///< Name of the heliostat.
    KinematicsRecord nominal;  ///< Kinematics for which all parameters are 0.
    /// Prior standard deviations of parameters_of(), in their units.
    std::vector<double> prior_sigmas;
    std::vector<double> unknowns;  ///< Parameters, in prior standard deviations.
    SquareMatrix covariance;       ///< Covariance of `unknowns`.
    double scale = 0.0;            ///< Scale of a record's residual, radians.
    double bending = 0.0;          ///< See HeliostatCalibration, radians.
    double aim_error = 0.0;        ///< See HeliostatCalibration, radians.
    size_t records = 0;            ///< Number of records that have counted so far.
    /// Records that have counted; fewer than `records` if the file's version did not list them.
    std::vector<CountedRecord> counted;
    size_t epochs = 1;      ///< Number of epochs; the kinematics are those of the last epoch.
    double residual = 0.0;  ///< Mean tilt of the records when they were fitted, radians.
    std::optional<double> last_day;  ///< Julian day of the latest record; empty if unknown.
};

/// Returns the final state of a calibration.
HeliostatState state_of(const HeliostatCalibration& calibration);

/// Returns the scenario with the calibrated kinematics; heliostats without records or components
/// remain unchanged.
Scenario calibrated_scenario(Scenario scenario, const std::vector<HeliostatState>& states);

/// Writes a scenario and, in the group "calibration", the states of its heliostats (README.md
/// describes the layout). Without states it writes the scenario alone. Throws InputError as
/// write_scenario() does.
void write_calibrated_scenario(const Scenario& scenario,
                               const std::vector<HeliostatState>& states,
                               const std::filesystem::path& path,
                               ScenarioFormat format = ScenarioFormat::automatic);

/// Copies a file from write_calibrated_scenario() with all states and with the kinematics of the
/// heliostats of `scenario` that have components. `from` and `path` may be the same. Throws
/// InputError as change_scenario() does.
void change_calibrated_scenario(const std::filesystem::path& from,
                                const std::filesystem::path& path,
                                const Scenario& scenario,
                                const std::vector<HeliostatState>& states);

/// Returns true if a file holds states in the group "calibration".
bool is_calibrated(const std::filesystem::path& path);

/// Reads the states of the scenario in the same file. States of heliostats without components can
/// only be written again. Throws InputError if the file has no states, or arrays of other shapes.
std::vector<HeliostatState> read_states(const std::filesystem::path& path,
                                        const Scenario& scenario);

/// Reads the expected aim errors by heliostat, radians (HeliostatState::aim_error). Returns an
/// empty map for a file without states. Throws InputError for a damaged file.
std::map<std::string, double> read_aim_errors(const std::filesystem::path& path);

/// Computes HeliostatState::aim_error from the other numbers of a state. `targets` lists the
/// targets for aiming, by name; `latitude_deg` is that of the plant.
double expected_aim_error(const HeliostatState& state,
                          const std::vector<std::pair<std::string, TargetPlane>>& targets,
                          double latitude_deg);

/// Result of an update with one record.
struct Update {
    Comparison predicted;  ///< Prediction before the record counts.
    /// Reason why the record was rejected; empty if it counts.
    std::optional<std::string> rejected;
};

/// Updates a heliostat's state with one record (extended information filter). Between records with
/// known times tilts drift by kTiltDrift and spindle starts by kStrokeDrift, per root of a year. A
/// gross outlier, and a record that has counted before, leave the state unchanged. The aim error is
/// not updated (see expected_aim_error()), and changes in time are not searched for: after its
/// drives were set to zero anew, a heliostat must be calibrated from its records again.
Update update(HeliostatState& state,
              const SpotRecord& record,
              const std::vector<MirrorElement>& mirror);

/// Standard deviation of the drift of tilts after a year.
inline constexpr double kTiltDrift = 0.5e-3;  ///< radians
/// Standard deviation of the drift of spindle starts after a year, m.
inline constexpr double kStrokeDrift = 0.1e-3;

}  // namespace helioray::calibration
