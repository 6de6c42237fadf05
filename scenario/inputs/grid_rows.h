// SPDX-License-Identifier: MIT
// Arranges the rows of a table on the grid of their coordinates.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/value_grid.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// One row of the table.
struct GridRow {
    double x = 0.0;      ///< metres
    double y = 0.0;      ///< metres
    double value = 0.0;  ///< value at this point
    std::string place;   ///< place in the file, for messages
};

/// Arranges rows, in any order, on a grid. Returns nothing and adds problems if they do not fill
/// one. For messages, `axes` are the names of the coordinates ("x", "y"), and `values` is the name
/// of the interpolated quantity ("limits").
std::optional<ValueGrid> make_grid(const std::vector<GridRow>& rows,
                                   const std::string& file,
                                   const std::array<const char*, 2>& axes,
                                   const std::string& values,
                                   std::vector<Problem>& problems);

}  // namespace helioray
