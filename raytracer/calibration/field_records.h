// SPDX-License-Identifier: MIT
// Reads what a calibration needs: heliostats and targets, records of spots, images of spots.
#pragma once

#include "raytracer/calibration/calibrate.h"
#include "scenario/paint/paint.h"
#include "scenario/types.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace helioray::calibration {

/// Where the spot of a record comes from.
enum class SpotSource { utis, helios, image };

/// Files of records. Tables are CSV with a header: heliostat, target, axis_1_motor_position,
/// axis_2_motor_position, spot_east_m, spot_north_m, spot_up_m, either time or sun_azimuth_deg and
/// sun_elevation_deg, and record (its id) if wanted. A table with the columns Id, HeliostatId and
/// Split is a split of PAINT's benchmark: only its "train" rows are fitted, the others predicted.
/// A record that is given more than once counts once.
struct RecordFiles {
    std::vector<PaintFile> paint;               ///< calibration records with their heliostats
    std::vector<std::filesystem::path> tables;  ///< CSV
    /// Folders as find_paint_benchmark() reads them: records in `train` are fitted, those in `test`
    /// and `validation` predicted. The heliostat of a record is that of its row in a split, else
    /// the one that its file or a folder is called after.
    std::vector<std::filesystem::path> benchmarks;
    /// Records that are only predicted: calibration records, tables, splits.
    std::vector<std::filesystem::path> test;
    SpotSource spot = SpotSource::utis;  ///< of PAINT's records
};

/// Records of one heliostat, and those that could not be used.
struct ReadRecords {
    std::vector<SpotRecord> records;  ///< to be fitted
    std::vector<SpotRecord> test;     ///< to be predicted
    std::vector<Rejection> rejected;  ///< no spot by the wanted method, or given before
};

/// Reads all records; of the scenario's heliostats only the names are needed. Throws InputError
/// with every problem of every file: unknown heliostats and targets, missing keys and columns,
/// damaged images, two records of one name with other numbers, records of a benchmark whose
/// heliostat nothing tells. Adds a line for columns that are not used to `remarks`.
std::map<std::string, ReadRecords> read_records(const RecordFiles& files,
                                                const Scenario& scenario,
                                                std::vector<std::string>* remarks = nullptr);

/// The scenario's heliostats that have components, with their records, in the scenario's order.
/// older: names of those whose position may be of PAINT's older frame. Throws InputError where
/// kinematics do not work.
std::vector<HeliostatRecords> field_records(const Scenario& scenario,
                                            const std::map<std::string, ReadRecords>& records,
                                            const std::set<std::string>& older);

/// The plane of a target; that which touches a curved one at its default aim point.
TargetPlane target_plane(const Target& target);

/// All of them by name.
std::vector<std::pair<std::string, TargetPlane>> target_planes(const Scenario& scenario);

/// A spot on a picture, or why there is none.
struct ImageSpot {
    std::optional<Vec3> place;  ///< centroid, metres, ENU
    std::string fault;          ///< what the picture shows instead
};

/// Centroid of the light on an image of a whole target. Background and noise are those
/// of the image's rim; light counts from a tenth of the peak on, within 2.5 times the spot's
/// own width, so that neither background nor saturation move it. None for pictures that show no
/// spot above their background, or a spot that their rim cuts off. Throws InputError for files
/// other than grey pictures.
ImageSpot spot_of_image(const std::filesystem::path& image, const Target& target);

}  // namespace helioray::calibration
