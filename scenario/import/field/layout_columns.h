// SPDX-License-Identifier: MIT
// Columns of a table of heliostats. Internal to read_layout_table.
#pragma once

#include "scenario/inputs/raw_table.h"
#include "scenario/reader/read_log.h"

#include <cstddef>
#include <map>
#include <string>

namespace helioray {

/// Meaning of a column.
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
    type,
    tower,
    reflectivity,
    clean_share,  ///< SolarPILOT's soiling
    in_layout,
    enabled,
};

/// A column whose meaning is known.
struct LayoutColumn {
    size_t cell = 0;     ///< index in a row
    double scale = 1.0;  ///< metres per unit of the column
    std::string header;  ///< header in the file
};

/// Known columns by their meaning.
using LayoutColumns = std::map<ColumnRole, LayoutColumn>;

/// Interprets the header of a table; unknown units and columns with the same meaning are problems.
/// Only fields with several types or several towers have a column for them.
LayoutColumns find_columns(const RawTable& table, bool has_types, bool has_towers, ReadLog& log);

}  // namespace helioray
