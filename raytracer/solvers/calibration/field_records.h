// SPDX-License-Identifier: MIT
// Reads the input of a calibration: heliostats and targets, records of spots, images of spots.
#pragma once

#include "raytracer/solvers/calibration/calibrate.h"
#include "scenario/import/paint/paint.h"
#include "scenario/types/types.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace helioray::calibration {

/// Source of the spot of a record.
enum class SpotSource { utis, helios, image };

/// Files of records. Tables are CSV with a header: heliostat, target, axis_1_motor_position,
/// axis_2_motor_position, spot_east_m, spot_north_m, spot_up_m, either time or sun_azimuth_deg and
/// sun_elevation_deg, and optionally record (its id). A table with the columns Id, HeliostatId and
/// Split is a split of PAINT's benchmark: its "train" rows are fitted, the others are predicted. A
/// record that is given more than once counts once.
struct RecordFiles {
    std::vector<PaintFile> paint;               ///< Calibration records with their heliostats.
    std::vector<std::filesystem::path> tables;  ///< CSV tables.
    /// Folders as find_paint_benchmark() reads them: records in `train` are fitted, those in `test`
    /// and `validation` are predicted. The heliostat of a record is given by its row in a split, or
    /// else by the name of its file or folder.
    std::vector<std::filesystem::path> benchmarks;
    /// Calibration records, tables and splits that are predicted but not fitted.
    std::vector<std::filesystem::path> test;
    SpotSource spot = SpotSource::utis;  ///< Source of the spots of PAINT's records.
};

/// Records of one heliostat, including those that could not be used.
struct ReadRecords {
    std::vector<SpotRecord> records;  ///< Records to fit.
    std::vector<SpotRecord> test;     ///< Records to predict.
    /// Records without a spot by the selected method, and duplicates.
    std::vector<Rejection> rejected;
};

/// Reads all records; the scenario's heliostats need only their names. Throws InputError with every
/// problem of every file: unknown heliostats and targets, missing keys and columns, damaged images,
/// two records with the same name but different numbers, and benchmark records whose heliostat is
/// unknown. Adds a line to `remarks` for columns that are not used.
std::map<std::string, ReadRecords> read_records(const RecordFiles& files,
                                                const Scenario& scenario,
                                                std::vector<std::string>* remarks = nullptr);

/// Returns the scenario's heliostats that have components, with their records, in the scenario's
/// order. `older` lists the names of heliostats whose position may be in PAINT's older frame.
/// Throws InputError if the kinematics are invalid.
std::vector<HeliostatRecords> field_records(const Scenario& scenario,
                                            const std::map<std::string, ReadRecords>& records,
                                            const std::set<std::string>& older);

/// Returns the plane of a target. For a curved target this is the tangent plane at its default aim
/// point.
TargetPlane target_plane(const Target& target);

/// Returns the planes of all targets, with their names.
std::vector<std::pair<std::string, TargetPlane>> target_planes(const Scenario& scenario);

/// A spot on a picture, or the reason why there is none.
struct ImageSpot {
    std::optional<Vec3> place;  ///< Centroid, m, ENU.
    std::string fault;          ///< Reason why the picture has no spot.
};

/// Computes the centroid of the light on an image of a whole target. Background and noise are those
/// of the image's rim. Light counts above a tenth of the peak and within 2.5 times the spot's own
/// width, so that neither background nor saturation shift the centroid. Returns no spot if none
/// rises above the background, or if the rim cuts it off. Throws InputError if the file is not a
/// greyscale picture.
ImageSpot spot_of_image(const std::filesystem::path& image, const Target& target);

}  // namespace helioray::calibration
