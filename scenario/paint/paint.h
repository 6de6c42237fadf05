// SPDX-License-Identifier: MIT
// Files of the PAINT database: tower measurements and heliostat properties as scenarios, folders of
// a download, measured mirrors.
#pragma once

#include "scenario/reader/measured_surface.h"
#include "scenario/reader/read_log.h"
#include "scenario/types.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// East, north, up in metres of `point` as seen from `origin`, by ARTIST's linearisation: longitude
/// and latitude differences times the radii of curvature at the point, earth's curvature ignored.
/// At 1.3 km from the origin it is about 0.13 m too high. The default for PAINT data, whose users
/// compare numbers.
Vec3 wgs84_to_enu_linear(const GeodeticPosition& point, const GeodeticPosition& origin);

/// The same exactly: through earth-centred coordinates, rotated into the tangent plane at `origin`.
Vec3 wgs84_to_enu_exact(const GeodeticPosition& point, const GeodeticPosition& origin);

/// One `<name>-heliostat-properties.json`.
struct PaintHeliostat {
    std::filesystem::path file;  ///< the JSON file
    std::string name;  ///< empty: the text before "-heliostat-properties" in the file name
};

/// Its name: as given, else from the file's name.
std::string name_of(const PaintHeliostat& heliostat);

/// Which files make a scenario, and how.
struct PaintInputs {
    std::filesystem::path tower;  ///< tower-measurements.json
    std::vector<PaintHeliostat>
        heliostats;  ///< ids are positions in this list; the last one is the prototype
    std::array<int64_t, 2> control_points{10,
                                          10};  ///< of every facet, along east and north; degree 3
    bool exact_geodesy = false;  ///< false: ARTIST's linearisation, see wgs84_to_enu_linear()
    /// Type of drives that files call ideal; nothing: those with all lever parameters and limits in
    /// steps are linear, with a remark.
    std::optional<ActuatorType> drives_called_ideal;
    /// Heliostats whose surfaces the caller replaces by measured ones; only for the report.
    std::vector<std::string> measured;
};

/// Plant and target areas of a tower-measurements.json.
struct PaintTower {
    GeodeticPosition position;    ///< of the plant: origin of all coordinates
    std::vector<Target> targets;  ///< planes by name, then cylinders by name
};

/// Reads a tower file. Areas with problems leave them in the log and are missing; throws InputError
/// for a file that is not JSON or contains no plant.
PaintTower read_paint_tower(const std::filesystem::path& path, bool exact_geodesy, ReadLog& log);

/// The light source that ARTIST's scenarios share: "sun", Gaussian of variance 4.3681e-06, 10 rays.
LightSource usual_sun();

/// "facet_1" ...; with ten and more facets "facet_01" ..., so that names sort as numbers.
std::string facet_name(size_t index, size_t count);

/// Ends the report's line on a drive whose type was decided (PaintInputs::drives_called_ideal).
inline constexpr const char* kIdealTakenAsLinear =
    "an actuator called ideal has all lever parameters and limits in steps: taken as linear";

/// Scenario with ideal surfaces: flat, uncanted control points over the extents of the canting
/// vectors, canting and translation apart. One light source "sun": Gaussian of variance 4.3681e-06,
/// 10 rays.
///
/// The power plant is found by its key at any place. Widths and heights of planes are
/// measured between corners along the axes of the target's own plane, which for walls along east
/// and west are ARTIST's numbers. Older key names ("kinematic_properties",
/// "first_joint_translation_e", ...) are accepted. Facets are numbered so that their order by name
/// is the order in the file.
///
/// `report`, when given, gets one line for everything that was read, ignored or assumed.
///
/// Throws InputError with all problems found, each by file and key: syntax errors, missing keys,
/// wrong types, impossible sizes, unknown actuator types, a number of actuators other than two,
/// equal names.
Scenario scenario_from_paint(const PaintInputs& inputs, std::vector<std::string>* report = nullptr);

/// A file that belongs to a heliostat.
struct PaintFile {
    std::string heliostat;       ///< name
    std::filesystem::path file;  ///< path, below the folder that was searched
};

/// Heliostats below a folder: every folder with a `Properties/*heliostat-properties*.json` (or such
/// a file in itself) is one and names it; of several files the last by name is taken, as names end
/// in dates. `<name>-heliostat-properties*.json` in the folder itself count too, and the folder
/// itself may be that of one heliostat. Metadata (`*-stac.json`) is passed over. Sorted by name.
/// Throws InputError when there is none, but for folders that find_paint_benchmark() reads, which
/// need not hold any.
std::vector<PaintHeliostat> find_paint_heliostats(const std::filesystem::path& folder);

/// Deflectometry below a folder, `<heliostat>/Deflectometry/*-deflectometry.h5` (or in
/// `<heliostat>`): one file of each of these heliostats that has any, "filled" ones before others,
/// then the last by name. Throws InputError when there is none at all.
std::vector<PaintFile> find_paint_deflectometry(const std::filesystem::path& folder,
                                                const std::vector<std::string>& heliostats);

/// Whether a properties file has the keys of the older version of the database, whose longitudes
/// are smaller by kOlderLongitudeShift degrees in most files. Throws InputError for files that are
/// not JSON.
bool is_older_paint_version(const std::filesystem::path& properties);

/// Degrees that are missing in longitudes of the older version.
inline constexpr double kOlderLongitudeShift = 2.3335e-5;

/// All `<heliostat>/Calibration/*-calibration-properties.json` (or in `<heliostat>`) of these
/// heliostats; the folder may be a heliostat's own. Throws InputError when there is none at all.
std::vector<PaintFile> find_paint_calibrations(const std::filesystem::path& folder,
                                               const std::vector<std::string>& heliostats);

/// Folders below this one that hold calibration records, though none of these heliostats is called
/// after them: as find_paint_calibrations() passes over them. With their numbers of records.
std::vector<std::pair<std::filesystem::path, size_t>> find_unknown_paint_calibrations(
    const std::filesystem::path& folder, const std::vector<std::string>& heliostats);

/// Id of a calibration record: the text before "-calibration-properties" in its file's name.
std::string paint_record_id(const std::filesystem::path& record);

/// A calibration record of PAINT's benchmark.
struct PaintBenchmarkFile {
    std::filesystem::path file;  ///< path, below the folder that was searched
    std::string id;              ///< of the record
    std::string split;           ///< "train", "test" or "validation"
};

/// Records as the benchmark's downloader stores them (paint-csp, PaintCalibrationDataset): all
/// `<split>/<id>-calibration-properties.json` of the splits train, test and validation, without
/// folders of heliostats. The folder may be that of one split. Sorted by name within a split; empty
/// for folders of another layout.
std::vector<PaintBenchmarkFile> find_paint_benchmark(const std::filesystem::path& folder);

/// The heliostat a file belongs to: the one that its name starts with ("AA39-filled-..."), else the
/// one that the nearest folder above it is called after. Throws InputError when there is none.
std::string paint_heliostat_of(const std::filesystem::path& file,
                               const std::vector<std::string>& heliostats);

/// Reads a `<heliostat>-[filled-]<time>-deflectometry.h5`: groups facet1, facet2, ... with
/// `surface_points` and `surface_normals` [M, 3], metres in the mirror's frame; M may differ
/// between facets. Throws InputError with all problems of all facets: missing groups or datasets,
/// other shapes, samples that are not finite, normals that are not unit vectors or point down.
MeasuredSurface read_deflectometry(const std::filesystem::path& path);

}  // namespace helioray
