// SPDX-License-Identifier: MIT
// Reads the heights of a site.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/range.h"
#include "scenario/types/terrain.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace helioray {

/// Range of heights of the ground, metres.
inline constexpr Range kGroundHeights{-12000.0, 12000.0, false, false, "it is a height in metres"};

/// Reads heights on a rectangular grid: a table (CSV) with the columns x, y, z or east, north, up
/// of its points in any order, an ASCII grid of ESRI (first word ncols), or HDF5 with the datasets
/// east_m, north_m and height_m [north_m, east_m]. `origin` is subtracted from all coordinates.
/// Returns null and adds problems if the heights are not valid. Throws InputError for files that
/// cannot be read.
std::shared_ptr<const Terrain> read_terrain_file(const std::filesystem::path& file,
                                                 const std::array<double, 3>& origin,
                                                 std::vector<Problem>& problems);

}  // namespace helioray
