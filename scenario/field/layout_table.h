// SPDX-License-Identifier: MIT
// Tables of heliostats: positions, and where the table has them aim points, focal lengths, canting.
#pragma once

#include "scenario/field/field_template.h"
#include "scenario/reader/read_log.h"

#include <string>
#include <vector>

namespace helioray {

struct CsvTable;

/// One heliostat of a field to be made.
struct HeliostatPlace {
    std::string name;                        ///< unique; the table's, else "H" and its number
    Vec3 pivot{};                            ///< metres, ENU
    std::optional<Vec3> aim;                 ///< metres, ENU; nothing: the receiver's default
    std::optional<double> focal_length;      ///< metres, instead of the template's
    std::optional<double> canting_distance;  ///< metres, instead of the template's
    bool enabled = true;                     ///< false: it stands there and does not reflect
    std::string where;                       ///< for messages
};

/// What the z column of a table says.
enum class TableHeight { pivot, ground };

/// Heliostats of a table with one header line. Names of columns are matched whatever their case;
/// units stand in them ("x [m]", "x (ft)", "x_mm") or in a second line of units as SolarPILOT
/// writes it. Known columns are listed in scenario/IMPORT.md; others are ignored with a remark.
/// Without a z column pivots stand `pivot_height` metres above 0. Remarks go to the log, and every
/// problem with line and column.
std::vector<HeliostatPlace> read_layout_table(const CsvTable& table,
                                              double pivot_height,
                                              TableHeight height,
                                              ReadLog& log);

}  // namespace helioray
