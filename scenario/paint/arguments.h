// SPDX-License-Identifier: MIT
// Arguments that name files of the PAINT database: FILE, NAME=FILE or a folder in its layout.
#pragma once

#include "scenario/paint/paint.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// Heliostats of the command's arguments; a folder gives all that are in it. Throws InputError for
/// folders without any.
std::vector<PaintHeliostat> paint_heliostats(const std::vector<std::string>& arguments);

/// Finds files below a folder for heliostats of these names.
using FindPaintFiles = std::function<std::vector<PaintFile>(const std::filesystem::path&,
                                                            const std::vector<std::string>&)>;

/// Files of an option's arguments with the heliostats they belong to. Throws InputError with all
/// problems: unknown heliostats, files that belong to none.
std::vector<PaintFile> paint_files(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& heliostats,
                                   const FindPaintFiles& find);

}  // namespace helioray
