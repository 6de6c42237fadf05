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

    /// Returns the number of records of all heliostats.
    size_t num_records() const;
};

/// Adds the files that users name as inputs: folders, properties of heliostats (FILE, NAME=FILE),
/// and tables of records (.csv). Throws InputError as paint_heliostats() does.
void add_inputs(const std::vector<std::string>& inputs, CalibrationFiles& files);

/// Returns all files that are named, to check that no output replaces one of them.
std::vector<std::filesystem::path> named_files(const CalibrationFiles& files);

/// Reads all files. Throws InputError as scenario_from_paint(), read_scenario() and read_records()
/// do, if there is no record at all, and if the file of mirrors has none of the heliostats.
MeasuredField read_measured_field(const CalibrationFiles& files);

/// Returns the options to calibrate the field. An empty `level` averages over all sets.
CalibrationOptions calibration_options(const MeasuredField& measured,
                                       const std::optional<Level>& level,
                                       int num_threads);

/// Outcome of a record in an update: it changed the state of its heliostat or was rejected.
struct UpdatedRecord {
    std::string heliostat;  ///< Name of the heliostat.
    std::string record;     ///< Id of the record.
    Update update;          ///< Result of the update.
    double seconds = 0.0;   ///< Run time of the filter, s.
    bool is_test = false;   ///< The record was predicted but did not count.
};

/// Outcome of a calibration or of an update.
struct CalibratedField {
    Scenario scenario;                             ///< Scenario with the calibrated kinematics.
    std::vector<HeliostatState> states;            ///< States of its heliostats.
    std::vector<HeliostatCalibration> heliostats;  ///< Calibrated heliostats; empty for an update.
    std::vector<UpdatedRecord> updates;            ///< New records; empty without an update.
    std::vector<std::string> remarks;              ///< MeasuredField::remarks.

    /// Returns true for the outcome of an update.
    bool is_update() const { return heliostats.empty(); }
};

/// Calibrates a field that was read from files. An empty `level` averages over all sets. Throws
/// and is collective as calibrate().
CalibratedField calibrate_field(const MeasuredField& measured,
                                const std::optional<Level>& level,
                                int num_threads,
                                const FieldRanks& ranks = {});

/// Heliostats of a calibrated scenario that an update reads.
enum class UpdatedHeliostats {
    all,           ///< All of them.
    with_records,  ///< Only those with new records, which saves time in large fields.
};

/// Updates the states in a calibrated scenario file with new records, those of each heliostat in
/// the order of their times. Records are those in `files` and in `inputs`: tables (.csv), folders
/// of heliostats or of PAINT's benchmark, and single records as paint_files() accepts them. Writes
/// nothing. Throws InputError as paint_files() and read_records() do, if there is no record at all,
/// and for records of a heliostat without a state.
CalibratedField update_field(const std::filesystem::path& file,
                             const std::vector<std::string>& inputs,
                             RecordFiles files,
                             UpdatedHeliostats heliostats);

/// Updates a calibrated scenario file like update_field() and writes the changed scenario to
/// `output`, which may be the same file: simultaneous updates of one file wait for each other. If
/// no record counts, `output` is a copy.
CalibratedField update_file(const std::filesystem::path& file,
                            const std::filesystem::path& output,
                            const std::vector<std::string>& inputs,
                            RecordFiles files);

}  // namespace helioray::calibration
