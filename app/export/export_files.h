// SPDX-License-Identifier: MIT
// Sets of files for other programs, made from a result or from the yield of a year.
#pragma once

#include "raytracer/annual/annual.h"
#include "raytracer/job/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// A part of a file name for every target, each once (file systems may not know upper from lower
/// case).
std::vector<std::string> target_file_names(const RunResult& result);

/// Standard errors of all pixels; NaN where they are unknown.
std::vector<double> std_errors(const TargetResult& target);

/// A file to write.
struct ExportFile {
    std::string name;     ///< without a folder
    std::string content;  ///< all of its bytes
};

/// Tables: heliostats.csv (one row per heliostat, units in the column names) and for each target
/// flux_NAME.csv and std_error_NAME.csv: lines of comment from '#' on, then the map, its first
/// row the pixel centres along the width in m, its first column those along the height. Numbers
/// keep their exact value; unknown ones are "nan".
std::vector<ExportFile> csv_files(const RunResult& result);

/// XML files of VTK in the plant's coordinates (east, north, up; metres): for each target
/// target_NAME.vts, a grid with a cell per pixel on the target's surface; heliostats.vtp, the
/// mirrors as quadrilaterals (as points when their outline is unknown); result.vtm, which opens
/// them all. Cells of a target: flux and its standard error, the area of the pixel on the curved
/// surface, and power = flux times this area. Cells of heliostats: name, target and all quantities.
std::vector<ExportFile> vtk_files(const RunResult& result);

/// A name for files after a name of the scenario: letters, digits, '.', '-', '_' and
/// characters outside ASCII stay, all others become '_'; at most 120 bytes.
std::string file_name_part(const std::string& name);

/// Writes the files into a folder, which is created when only its last part is missing. All of them
/// are stored under temporary names before the first gets its final one. Files of these names are
/// replaced, others stay. Throws InputError when the folder cannot be used, std::runtime_error
/// naming the file when one cannot be stored.
void write_files(const std::vector<ExportFile>& files, const std::filesystem::path& folder);

/// The check of write_files() alone; creates nothing.
void check_export_folder(const std::filesystem::path& folder);

/// Tables: heliostats.csv (a row per heliostat: name, target, energy terms, errors and months in J,
/// efficiency, place), months.csv (sun and energy of each month) and sky.csv (efficiency of the
/// field at the sun positions, and their weights). Numbers keep their exact value; unknown ones are
/// "nan".
std::vector<ExportFile> annual_csv_files(const AnnualYield& yield);

/// Writes heliostats.csv alone. Completely or not at all.
void write_annual_csv(const AnnualYield& yield, const std::filesystem::path& path);

}  // namespace helioray
