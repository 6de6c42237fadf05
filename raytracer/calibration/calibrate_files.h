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
    std::vector<std::filesystem::path> folders;  ///< searched for calibration records
    RecordFiles records;                         ///< further ones
    /// Type of drives that files call ideal, see PaintInputs::drives_called_ideal.
    std::optional<ActuatorType> drives;
};

/// A plant with the calibration of its heliostats.
struct CalibratedField {
    Scenario scenario;                             ///< with the kinematics that were found
    std::vector<HeliostatCalibration> heliostats;  ///< in the scenario's order
    std::vector<HeliostatState> states;            ///< the same, for later records
    std::vector<std::string> report;               ///< what the reader of PAINT's files remarks
};

/// Reads all files and calibrates every heliostat. The next measurement is looked for in fields of
/// up to 200 heliostats, because the search takes milliseconds for each. Throws InputError as
/// scenario_from_paint(), read_records() and calibrate(), and where there is no record at all.
CalibratedField calibrate_files(const CalibrationFiles& files,
                                const std::optional<Level>& level,
                                int num_threads);

/// Throws InputError where no heliostat has a record.
void require_records(const std::vector<HeliostatRecords>& field);

}  // namespace helioray::calibration
