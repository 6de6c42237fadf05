// SPDX-License-Identifier: MIT
// Creates sets of files for other programs from a result, a series or the yield of a year.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/studies/annual/annual.h"
#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/job/traced_path.h"
#include "scenario/types/run_config.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// Returns a part of a file name for every target. The parts differ even without regard to upper
/// and lower case, which some file systems ignore.
std::vector<std::string> target_file_names(const RunResult& result);

/// Returns the standard errors of all pixels; NaN if they are unknown.
std::vector<double> std_errors(const TargetResult& target);

/// A file to write.
struct ExportFile {
    std::string name;     ///< without a folder
    std::string content;  ///< bytes of the file
};

/// Parts of the plant that a result does not contain.
struct PlantParts {
    std::vector<ObstacleConfig> bodies;  ///< bodies that shade and block
    std::vector<TracedPath> rays;        ///< paths of rays; heliostats are indices in the result
    double sun_length = 20.0;            ///< length of the paths on the side of the sun, metres
    /// Mirrors of the result's heliostats, in its order; empty if they are not known.
    std::vector<std::shared_ptr<const Surface>> mirrors = {};
    std::shared_ptr<const Terrain> ground = nullptr;  ///< heights of the terrain; null: none
};

/// Returns tables: heliostats.csv (one row per heliostat, units in the column names) and for each
/// target flux_NAME.csv and std_error_NAME.csv. The latter contain comment lines from '#' on, then
/// the map; its first row has the pixel centres along the width in m, its first column those along
/// the height. Numbers keep their exact value; unknown ones are "nan".
std::vector<ExportFile> csv_files(const RunResult& result);

/// Returns tables of a whole series: steps.csv (a row per step: time, sun, efficiency, energy
/// terms, and the light on each target as "power_w:NAME"), heliostats.csv (a row per heliostat with
/// the energies of `plan`, see series_plan()) and heliostat_power.csv (power on the target in W: a
/// row per step, a column per heliostat). Numbers keep their exact value; unknown ones are "nan".
std::vector<ExportFile> series_csv_files(const SeriesResult& series, const RunResult& plan);

/// Returns XML files for VTK in the plant's coordinates (east, north, up; metres): for each target
/// target_NAME.vts, a grid with one cell per pixel on the target's surface; heliostats.vtp, the
/// mirrors as quadrilaterals (as points if their outline is unknown); result.vtm, which opens all
/// of them. Cells of a target: flux and its standard error, the area of the pixel on the curved
/// surface, and power = flux times this area. Cells of heliostats: name, target and all quantities.
/// `parts` that are not empty add bodies.vtp, the closed surfaces of bodies, terrain.vtp, the
/// triangles of the ground with their heights, rays.vtp, the paths of rays with the place where
/// each ends, and for mirrors with facets that are not rectangles facets.vtp, the facets of all
/// mirrors with their outlines.
std::vector<ExportFile> vtk_files(const RunResult& result, const PlantParts& parts = {});

/// Returns the files of a step of a series like the overload above, with the step's number in their
/// names: target_NAME_0003.vts, heliostats_0003.vtp, result_0003.vtm.
std::vector<ExportFile> vtk_files(const SeriesResult& series,
                                  const RunResult& step,
                                  std::size_t index,
                                  const PlantParts& parts = {});

/// Returns series.pvd, which opens the files of all steps: in seconds after the first one, or by
/// their numbers where they have no times.
ExportFile vtk_collection(const SeriesResult& series);

/// Returns a part of a file name for a name of the scenario: letters, digits, '.', '-', '_' and
/// characters outside ASCII stay, all others become '_'; at most 120 bytes.
std::string file_name_part(const std::string& name);

/// Writes the files into a folder, which is created if only its last part is missing. All files are
/// stored under temporary names before the first gets its final one. Files with these names are
/// replaced, others stay. Throws InputError if the folder cannot be used, std::runtime_error with
/// the file's name if a file cannot be stored.
void write_files(const std::vector<ExportFile>& files, const std::filesystem::path& folder);

/// Checks the folder in the same way as write_files(), without creating anything.
void check_export_folder(const std::filesystem::path& folder);

/// Returns tables: heliostats.csv (a row per heliostat: name, target, energy terms, errors and
/// months in J, efficiency, place), months.csv (sun and energy of each month) and sky.csv
/// (efficiency of the field at the sun positions, and their weights). Numbers keep their exact
/// value; unknown ones are "nan".
std::vector<ExportFile> annual_csv_files(const AnnualYield& yield);

/// Writes heliostats.csv alone, completely or not at all.
void write_annual_csv(const AnnualYield& yield, const std::filesystem::path& path);

}  // namespace helioray
