// SPDX-License-Identifier: MIT
// Calibrates a field from files with the properties and records of its heliostats.
#pragma once

#include "raytracer/solvers/calibration/calibrate.h"
#include "raytracer/solvers/calibration/field_records.h"
#include "raytracer/solvers/calibration/state.h"
#include "scenario/import/paint/paint.h"
#include "scenario/types/choices.h"
#include "scenario/types/types.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::calibration {

/// Names of the sources of spots.
inline const Choices<SpotSource> kSpotSources{
    {"utis", SpotSource::utis}, {"helios", SpotSource::helios}, {"image", SpotSource::image}};

/// Names of the sets of parameters to fit; empty averages over all sets by their evidence.
inline const Choices<std::optional<Level>> kFittedParameters{{"auto", std::nullopt},
                                                             {"tilts", Level::tilts},
                                                             {"zero", Level::zero},
                                                             {"mount", Level::mount},
                                                             {"drives", Level::drives},
                                                             {"all", Level::all}};

/// Files of the PAINT database, and settings for reading them.
struct CalibrationFiles {
    std::filesystem::path tower;  ///< tower-measurements.json with the plant and its targets.
    std::vector<PaintHeliostat> heliostats;      ///< Properties of the heliostats.
    std::vector<std::filesystem::path> folders;  ///< Folders of heliostats or of PAINT's benchmark.
    RecordFiles records;                         ///< Further records.
    /// Type of the drives that files call ideal, see PaintInputs::drives_called_ideal.
    std::optional<ActuatorType> drives;
    /// Scenario with the mirrors of some or all heliostats, matched by name. Without it facets are
    /// flat.
    std::optional<std::filesystem::path> mirrors;
};

/// A plant and its measurements.
struct MeasuredField {
    Scenario scenario;                    ///< Scenario with the kinematics of the files.
    std::vector<HeliostatRecords> field;  ///< Records of the heliostats, in the scenario's order.
    /// One line for each input that was read and each assumption.
    std::vector<std::string> report;
    std::vector<std::string> remarks;  ///< Lines that users should see.
};

/// Reads all files. Throws InputError as scenario_from_paint(), read_scenario() and read_records()
/// do, if there is no record at all, and if the file of mirrors has none of the heliostats.
MeasuredField read_measured_field(const CalibrationFiles& files);

/// Returns the options to calibrate the field. An empty `level` averages over all sets.
CalibrationOptions calibration_options(const MeasuredField& measured,
                                       const std::optional<Level>& level,
                                       int num_threads);

/// Returns the states of all heliostats, in the order of `field`.
std::vector<HeliostatState> states_of(const std::vector<HeliostatCalibration>& field);

/// Outcome of a record in an update: it changed the state of its heliostat or was rejected.
struct UpdatedRecord {
    std::string heliostat;  ///< Name of the heliostat.
    std::string record;     ///< Id of the record.
    Update update;          ///< Result of the update.
    double seconds = 0.0;   ///< Run time of the filter, s.
    bool is_test = false;   ///< The record was predicted but did not count.
};

/// Returns the inputs that are not tables. Adds the tables (.csv) to `records`.
std::vector<std::string> without_tables(const std::vector<std::string>& inputs,
                                        RecordFiles& records);

/// Adds new records to `records`: tables (.csv), folders of heliostats or of PAINT's benchmark, and
/// single records as paint_files() accepts them. `heliostats` lists the names of the heliostats.
/// Throws InputError as paint_files() does.
void add_new_records(const std::vector<std::string>& inputs,
                     const std::vector<std::string>& heliostats,
                     RecordFiles& records);

/// Updates the states of a calibrated scenario with new records, those of each heliostat in the
/// order of their times. The heliostats in `records` need their components, the others do not.
/// `file` is the path of the scenario, for messages. Throws InputError if there is no record at
/// all, and for records of a heliostat without a state.
std::vector<UpdatedRecord> take_in(const std::map<std::string, ReadRecords>& records,
                                   const std::string& file,
                                   const Scenario& scenario,
                                   std::vector<HeliostatState>& states);

}  // namespace helioray::calibration
