// SPDX-License-Identifier: MIT
// What the columns of a table of heliostats mean, by their names.
#pragma once

#include "scenario/csv.h"
#include "scenario/reader/read_log.h"

#include <map>
#include <string>

namespace helioray {

enum class ColumnRole {
    name,
    number,
    x,
    y,
    z,
    aim_x,
    aim_y,
    aim_z,
    focal,
    focal_x,
    focal_y,
    canting,
    in_layout,
    enabled,
};

struct LayoutColumn {
    size_t cell = 0;     ///< index in a row
    double scale = 1.0;  ///< metres per unit of the column
    std::string header;
};

struct LayoutColumns {
    std::map<ColumnRole, LayoutColumn> roles;
    size_t num_cells = 0;  ///< of the header, without empty cells at its end
    size_t first_row = 0;  ///< index of the first row of data
};

/// Understands header and units of a table; ignored columns go to the log as remarks, unknown units
/// and columns with the same meaning as problems.
LayoutColumns find_columns(const CsvTable& table, ReadLog& log);

}  // namespace helioray
