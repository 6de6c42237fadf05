// SPDX-License-Identifier: MIT
// Arguments that name files of the PAINT database: FILE, NAME=FILE or a folder in its layout.
#pragma once

#include "scenario/import/paint/paint.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// Returns the heliostats of the command's arguments; a folder gives all its heliostats. Throws
/// InputError for folders without any.
std::vector<PaintHeliostat> paint_heliostats(const std::vector<std::string>& arguments);

/// Finds files below a folder for heliostats of these names.
using FindPaintFiles = std::function<std::vector<PaintFile>(const std::filesystem::path&,
                                                            const std::vector<std::string>&)>;

/// Returns the files of an option's arguments with their heliostats. Throws InputError with all
/// problems: unknown heliostats, and files of no heliostat.
std::vector<PaintFile> paint_files(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& heliostats,
                                   const FindPaintFiles& find);

}  // namespace helioray
