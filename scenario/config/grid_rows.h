// SPDX-License-Identifier: MIT
// Rows of a table put on the grid of their coordinates.
#pragma once

#include "scenario/files/error.h"
#include "scenario/value_grid.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// One row.
struct GridRow {
    double x = 0.0;      ///< metres
    double y = 0.0;      ///< metres
    double value = 0.0;  ///< at this point
    std::string place;   ///< in the file, for messages
};

/// Rows in any order as a grid; nothing, and problems, where they do not fill one. axes: names of
/// the coordinates ("x", "y"); values: what is interpolated ("limits"), for messages.
std::optional<ValueGrid> grid_of_rows(const std::vector<GridRow>& rows,
                                      const std::string& file,
                                      const std::array<const char*, 2>& axes,
                                      const std::string& values,
                                      std::vector<Problem>& problems);

}  // namespace helioray
