// SPDX-License-Identifier: MIT
// Files of the PAINT database: tower measurements and heliostat properties as scenarios, folders of
// a download, measured mirrors.
#pragma once

#include "scenario/reader/measured_surface.h"
#include "scenario/reader/read_log.h"
#include "scenario/types/types.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Returns the east, north and up coordinates (metres) of `point` relative to `origin`, by ARTIST's
/// linearisation: longitude and latitude differences times the radii of curvature at the point,
/// ignoring the curvature of the Earth. At 1.3 km from the origin the result is about 0.13 m too
/// high. This is the default for PAINT data, whose users compare numbers.
Vec3 wgs84_to_enu_linear(const GeodeticPosition& point, const GeodeticPosition& origin);

/// Returns the exact coordinates of `point` relative to `origin`: through Earth-centred
/// coordinates, rotated into the tangent plane at `origin`.
Vec3 wgs84_to_enu_exact(const GeodeticPosition& point, const GeodeticPosition& origin);

/// One `<name>-heliostat-properties.json`.
struct PaintHeliostat {
    std::filesystem::path file;  ///< the JSON file
    std::string name;  ///< name; empty: the part of the file name before "-heliostat-properties"
};

/// Returns the given name of the heliostat, or that in the name of its file.
std::string name_of(const PaintHeliostat& heliostat);

/// Files and options for a scenario.
struct PaintInputs {
    std::filesystem::path tower;  ///< tower-measurements.json
    /// Heliostats; ids are positions in this list, and the last one is the prototype.
    std::vector<PaintHeliostat> heliostats;
    /// Control points of every facet along east and north; degree 3.
    std::array<int64_t, 2> control_points{10, 10};
    bool exact_geodesy = false;  ///< false: ARTIST's linearisation, see wgs84_to_enu_linear()
    /// Type of drives that files call ideal; not set: those with all lever parameters and limits in
    /// steps are linear, with a remark.
    std::optional<ActuatorType> drives_called_ideal;
    /// Names of heliostats whose surfaces the caller replaces by measured ones; used only for the
    /// report.
    std::vector<std::string> measured;
};

/// Plant position and target areas of a tower-measurements.json.
struct PaintTower {
    GeodeticPosition position;    ///< position of the plant, the origin of all coordinates
    std::vector<Target> targets;  ///< planes by name, then cylinders by name
};

/// Reads a tower file. Areas with problems are omitted, and their problems go to the log. Throws
/// InputError for a file that is not JSON or contains no plant.
PaintTower read_paint_tower(const std::filesystem::path& path, bool exact_geodesy, ReadLog& log);

/// Returns the light source that ARTIST's scenarios share: "sun", Gaussian of variance 4.3681e-06,
/// 10 rays.
LightSource usual_sun();

/// Returns "facet_1" ...; with ten or more facets "facet_01" ..., so that names sort as numbers.
std::string facet_name(size_t index, size_t count);

/// End of the report's line about a drive whose type was assumed
/// (PaintInputs::drives_called_ideal).
inline constexpr const char* kIdealTakenAsLinear =
    "an actuator called ideal has all lever parameters and limits in steps: taken as linear";

/// Returns a scenario with ideal surfaces: flat, uncanted control points over the extents of the
/// canting vectors; canting and translation are stored separately. There is one light source "sun":
/// Gaussian of variance 4.3681e-06, 10 rays.
///
/// The power plant is found by its key at any place. Widths and heights of planes are measured
/// between corners along the axes of the target's own plane, which gives ARTIST's numbers for walls
/// along east and west. Older key names ("kinematic_properties", "first_joint_translation_e", ...)
/// are accepted. Facets are numbered so that their order by name is the order in the file.
///
/// `report`, if given, receives one line for every item that was read, ignored or assumed.
///
/// Throws InputError with all problems found, each by file and key: syntax errors, missing keys,
/// wrong types, impossible sizes, unknown actuator types, a number of actuators other than two,
/// equal names.
Scenario scenario_from_paint(const PaintInputs& inputs, std::vector<std::string>* report = nullptr);

/// A file of a heliostat.
struct PaintFile {
    std::string heliostat;       ///< name of the heliostat
    std::filesystem::path file;  ///< path below the searched folder
};

/// Finds heliostats below a folder: every folder with a `Properties/*heliostat-properties*.json`
/// (or such a file in itself) is one and names it. If there are several files, the last by name is
/// used, because names end with dates. `<name>-heliostat-properties*.json` in the folder itself are
/// included, and the folder itself may be that of one heliostat. Metadata (`*-stac.json`) is
/// ignored. Sorted by name. Throws InputError if there is none, except for folders that
/// find_paint_benchmark() reads, which may contain none.
std::vector<PaintHeliostat> find_paint_heliostats(const std::filesystem::path& folder);

/// Finds deflectometry below a folder, `<heliostat>/Deflectometry/*-deflectometry.h5` (or in
/// `<heliostat>`): one file for each of these heliostats that has any, "filled" files before
/// others, then the last by name. Throws InputError if there is none at all.
std::vector<PaintFile> find_paint_deflectometry(const std::filesystem::path& folder,
                                                const std::vector<std::string>& heliostats);

/// Returns true if a properties file has the keys of the older version of the database, in most of
/// whose files longitudes are smaller by kOlderLongitudeShift degrees. Throws InputError for files
/// that are not JSON.
bool is_older_paint_version(const std::filesystem::path& properties);

/// Difference of longitudes in the older version, degrees.
inline constexpr double kOlderLongitudeShift = 2.3335e-5;

/// Finds all `<heliostat>/Calibration/*-calibration-properties.json` (or in `<heliostat>`) of these
/// heliostats; the folder may be that of one heliostat. Throws InputError if there is none at all.
std::vector<PaintFile> find_paint_calibrations(const std::filesystem::path& folder,
                                               const std::vector<std::string>& heliostats);

/// Returns folders below this one that contain calibration records but are not named after one of
/// these heliostats, with their numbers of records. find_paint_calibrations() ignores these
/// folders.
std::vector<std::pair<std::filesystem::path, size_t>> find_unknown_paint_calibrations(
    const std::filesystem::path& folder, const std::vector<std::string>& heliostats);

/// Returns the id of a calibration record: the part of its file name before
/// "-calibration-properties".
std::string paint_record_id(const std::filesystem::path& record);

/// A calibration record of PAINT's benchmark.
struct PaintBenchmarkFile {
    std::filesystem::path file;  ///< path below the searched folder
    std::string id;              ///< id of the record
    std::string split;           ///< split: "train", "test" or "validation"
};

/// Finds records in the layout of the benchmark's downloader (paint-csp, PaintCalibrationDataset):
/// all `<split>/<id>-calibration-properties.json` of the splits train, test and validation, without
/// folders of heliostats. The folder may be that of one split. Sorted by name within a split; empty
/// for folders of another layout.
std::vector<PaintBenchmarkFile> find_paint_benchmark(const std::filesystem::path& folder);

/// Returns the heliostat of a file: the one with which its name starts ("AA39-filled-..."),
/// otherwise the one after which the nearest parent folder is named. Throws InputError if there is
/// none.
std::string paint_heliostat_of(const std::filesystem::path& file,
                               const std::vector<std::string>& heliostats);

/// Reads a `<heliostat>-[filled-]<time>-deflectometry.h5`: groups facet1, facet2, ... with
/// `surface_points` and `surface_normals` [M, 3], metres in the mirror's frame; M may differ
/// between facets. Throws InputError with all problems of all facets: missing groups or datasets,
/// wrong shapes, samples that are not finite, normals that are not unit vectors or point down.
MeasuredSurface read_deflectometry(const std::filesystem::path& path);

}  // namespace helioray
