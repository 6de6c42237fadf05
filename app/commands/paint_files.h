// SPDX-License-Identifier: MIT
// Arguments that name files of PAINT's database: FILE, NAME=FILE or a folder in its layout.
#pragma once

#include "scenario/paint/layout.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray::app {

/// Splits "NAME=FILE"; the name is empty without one.
PaintFile split_argument(const std::string& argument);

/// Heliostats of the arguments of `helioray scenario paint`; folders give all that are in them.
std::vector<PaintHeliostat> paint_heliostats(const std::vector<std::string>& arguments);

/// Finds files below a folder for heliostats of these names.
using FindPaintFiles = std::function<std::vector<PaintFile>(const std::filesystem::path&,
                                                            const std::vector<std::string>&)>;

/// Files of the arguments of an option with the heliostats they belong to. Throws InputError with
/// all problems: names that are no heliostats, files that belong to none.
std::vector<PaintFile> paint_files(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& heliostats,
                                   const FindPaintFiles& find);

}  // namespace helioray::app
