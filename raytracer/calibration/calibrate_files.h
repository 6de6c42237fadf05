// SPDX-License-Identifier: MIT
// A field calibrated from files: properties and records of its heliostats.
#pragma once

#include "raytracer/calibration/calibrate.h"
#include "raytracer/calibration/field_records.h"
#include "raytracer/calibration/state.h"
#include "scenario/config/choices.h"
#include "scenario/paint/paint.h"
#include "scenario/types.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::calibration {

/// Words for the source of spots.
inline const Choices<SpotSource> kSpotSources{
    {"utis", SpotSource::utis}, {"helios", SpotSource::helios}, {"image", SpotSource::image}};

/// Words for what is fitted; nothing: an average over all sets by their evidence.
inline const Choices<std::optional<Level>> kFittedParameters{{"auto", std::nullopt},
                                                             {"tilts", Level::tilts},
                                                             {"zero", Level::zero},
                                                             {"mount", Level::mount},
                                                             {"drives", Level::drives},
                                                             {"all", Level::all}};

/// Files of the PAINT database, and how they are read.
struct CalibrationFiles {
    std::filesystem::path tower;                 ///< tower-measurements.json: plant and targets
    std::vector<PaintHeliostat> heliostats;      ///< their properties
    std::vector<std::filesystem::path> folders;  ///< of heliostats or of PAINT's benchmark
    RecordFiles records;                         ///< further ones
    /// Type of drives that files call ideal, see PaintInputs::drives_called_ideal.
    std::optional<ActuatorType> drives;
    /// Scenario with the mirrors of some or all heliostats, matched by name; nothing: flat facets.
    std::optional<std::filesystem::path> mirrors;
};

/// A plant and what was measured there.
struct MeasuredField {
    Scenario scenario;                    ///< with the kinematics of the files
    std::vector<HeliostatRecords> field;  ///< in the scenario's order
    std::vector<std::string> report;      ///< a line for everything that was read or assumed
    std::vector<std::string> remarks;     ///< lines that users should see
};

/// Reads all files. Throws InputError as scenario_from_paint(), read_scenario() and read_records(),
/// where there is no record at all, and where the file of mirrors has none of the heliostats.
MeasuredField read_measured_field(const CalibrationFiles& files);

/// How to calibrate it. level: nothing, an average over all.
CalibrationOptions calibration_options(const MeasuredField& measured,
                                       const std::optional<Level>& level,
                                       int num_threads);

/// States of all heliostats, in their order.
std::vector<HeliostatState> states_of(const std::vector<HeliostatCalibration>& field);

/// A record that changed the state of its heliostat, or was rejected.
struct UpdatedRecord {
    std::string heliostat;  ///< name
    std::string record;     ///< id
    Update update;          ///< what it changed
    double seconds = 0.0;   ///< that the filter took
    bool is_test = false;   ///< only predicted
};

/// The inputs without tables (.csv), which are added to `records`.
std::vector<std::string> without_tables(const std::vector<std::string>& inputs,
                                        RecordFiles& records);

/// Adds new records to `records`: tables (.csv), folders of heliostats or of PAINT's benchmark, and
/// records as paint_files() takes them. heliostats: names. Throws InputError as paint_files().
void add_new_records(const std::vector<std::string>& inputs,
                     const std::vector<std::string>& heliostats,
                     RecordFiles& records);

/// Takes new records into the states of a calibrated scenario, those of each heliostat in the order
/// of their times. The heliostats of `records` need their components, the others do not. file: of
/// the scenario, for messages. Throws InputError where there is no record at all, and for records
/// of a heliostat without a state.
std::vector<UpdatedRecord> take_in(const std::map<std::string, ReadRecords>& records,
                                   const std::string& file,
                                   const Scenario& scenario,
                                   std::vector<HeliostatState>& states);

}  // namespace helioray::calibration
