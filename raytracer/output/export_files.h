// SPDX-License-Identifier: MIT
// Sets of files that a result becomes for other programs.
#pragma once

#include "raytracer/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

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

/// A name for files after a name of the scenario: letters, digits, '.', '-', '_' and what is
/// not ASCII stay, anything else becomes '_'; at most 120 bytes.
std::string file_name_part(const std::string& name);

/// Writes the files into a folder, which is created when only its last part is missing. All of them
/// are stored under temporary names before the first gets its own. Files of these names are
/// replaced, others stay. Throws InputError when the folder cannot be used, std::runtime_error
/// naming the file when one cannot be stored.
void write_files(const std::vector<ExportFile>& files, const std::filesystem::path& folder);

/// The check of write_files() alone; creates nothing.
void check_export_folder(const std::filesystem::path& folder);

}  // namespace helioray
