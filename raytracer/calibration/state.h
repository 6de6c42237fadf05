// SPDX-License-Identifier: MIT
// What a calibrated scenario remembers of its calibration, and how one more record changes it.
#pragma once

#include "raytracer/calibration/calibrate.h"
#include "scenario/types.h"
#include "scenario/writer/scenario_writer.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray::calibration {

/// A heliostat's parameters with their uncertainty: all that the next record needs.
struct HeliostatState {
    std::string name;                  ///< of the heliostat
    KinematicsRecord nominal;          ///< where all parameters are 0
    std::vector<double> prior_sigmas;  ///< of parameters_of(), in their units
    std::vector<double> unknowns;      ///< parameters in prior standard deviations
    SquareMatrix covariance;           ///< of these unknowns
    double scale = 0.0;                ///< of a record's residual, radians
    double bending = 0.0;              ///< see HeliostatCalibration, radians
    double aim_error = 0.0;            ///< see HeliostatCalibration, radians
    size_t records = 0;                ///< that counted so far
    /// Which ones; fewer than `records` where the file is of a version that did not list them.
    std::vector<CountedRecord> counted;
    size_t epochs = 1;  ///< in time that the records showed; the kinematics are those of the last
    double residual = 0.0;           ///< mean tilt of the records when they were fitted, radians
    std::optional<double> last_day;  ///< Julian day of the latest record; nothing: unknown
};

/// The state that a calibration ends with.
HeliostatState state_of(const HeliostatCalibration& calibration);

/// The scenario with the kinematics that were found; heliostats without records or components stay
/// as they are.
Scenario calibrated_scenario(Scenario scenario, const std::vector<HeliostatState>& states);

/// Writes a scenario and, in the group "calibration", the states of its heliostats (README.md has
/// the layout); without states the scenario alone. Throws InputError as write_scenario() does.
void write_calibrated_scenario(const Scenario& scenario,
                               const std::vector<HeliostatState>& states,
                               const std::filesystem::path& path,
                               ScenarioFormat format = ScenarioFormat::automatic);

/// Copies a file that write_calibrated_scenario() has written, with the kinematics of the
/// heliostats of `scenario` that have components, and with all states. from and path may be the
/// same. Throws InputError as change_scenario().
void change_calibrated_scenario(const std::filesystem::path& from,
                                const std::filesystem::path& path,
                                const Scenario& scenario,
                                const std::vector<HeliostatState>& states);

/// Whether a file holds states, in the group "calibration".
bool is_calibrated(const std::filesystem::path& path);

/// Reads the states back, for the scenario of the same file. States of heliostats that it holds
/// without components can only be written again. Throws InputError where the file has none, or
/// arrays of other shapes.
std::vector<HeliostatState> read_states(const std::filesystem::path& path,
                                        const Scenario& scenario);

/// Expected aim errors by heliostat, radians (HeliostatState::aim_error); empty for a file without
/// states. Throws InputError for a damaged file.
std::map<std::string, double> read_aim_errors(const std::filesystem::path& path);

/// HeliostatState::aim_error from the other numbers of a state. targets: where light can be aimed
/// at, by name; latitude_deg: of the plant.
double expected_aim_error(const HeliostatState& state,
                          const std::vector<std::pair<std::string, TargetPlane>>& targets,
                          double latitude_deg);

/// One more record.
struct Update {
    Comparison predicted;                 ///< before the record counts
    std::optional<std::string> rejected;  ///< why it does not count
};

/// Takes one record into a heliostat's state: an extended information filter. Between records with
/// known times tilts drift by kTiltDrift and spindle starts by kStrokeDrift, per root of a year.
/// A gross outlier, and a record that has counted before, leave the state as it is. The aim error
/// stays (see expected_aim_error()), and changes in time are not looked for: a heliostat whose
/// drives were set to zero anew is to be calibrated from its records again.
Update update(HeliostatState& state,
              const SpotRecord& record,
              const std::vector<MirrorElement>& mirror);

/// Standard deviations of the drift after a year.
inline constexpr double kTiltDrift = 0.5e-3;    ///< radians
inline constexpr double kStrokeDrift = 0.1e-3;  ///< metres

}  // namespace helioray::calibration
