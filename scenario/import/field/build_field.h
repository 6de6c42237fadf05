// SPDX-License-Identifier: MIT
// Builds fields of heliostats from templates and tables of positions.
#pragma once

#include "scenario/import/field/field_template.h"
#include "scenario/reader/read_log.h"
#include "scenario/types/run_config.h"

#include <string>
#include <vector>

namespace helioray {

struct CsvTable;

/// One heliostat of a field to be built.
struct HeliostatPlace {
    std::string name;            ///< unique name from the table, otherwise "H" and a number
    Vec3 pivot{};                ///< position of the pivot, metres, ENU
    std::optional<Vec3> aim;     ///< aim point, metres, ENU; not set: the receiver's default
    std::optional<size_t> type;  ///< index of the type in a field with several
    size_t tower = 0;            ///< index of its tower in all_towers()
    /// Focal lengths along width and height that replace the template's, metres.
    std::optional<std::array<double, 2>> focal_lengths;
    /// Distance of on-axis canting that replaces the template's, metres.
    std::optional<double> canting_distance;
    std::optional<double> reflectivity;  ///< reflected fraction of the power, clean mirror
    std::optional<double> clean_share;   ///< fraction of the reflectivity that soiling leaves
    bool enabled = true;                 ///< false: the heliostat exists but does not reflect
    std::string where;                   ///< place in the table, for messages
};

/// Returns the heliostat of a type; `type` is not set in a field with one.
const HeliostatTemplate& find_heliostat(const FieldTemplate& field,
                                        const std::optional<size_t>& type);

/// Returns the distance of a heliostat from the axis of its tower, metres.
double distance_from_tower(const FieldTemplate& field, const HeliostatPlace& place);

/// Meaning of a table's z column.
enum class TableHeight { pivot, ground };

/// Reads heliostats from a table with one header line. Names of columns are case-insensitive and
/// may contain units ("x [m]", "x (ft)", "x_mm"), which may also be in a second line as written by
/// SolarPILOT. scenario/import/README.md lists the known columns; others are ignored with a remark.
/// Without a z column, pivots are at the template's height. In a field with several types, a column
/// or the distance from the tower determines the type. Remarks and all problems, with line and
/// column, go to the log.
std::vector<HeliostatPlace> read_layout_table(const CsvTable& table,
                                              const FieldTemplate& field,
                                              TableHeight height,
                                              ReadLog& log);

/// A generated plant with data that a scenario cannot hold.
struct MadeField {
    Scenario scenario;  ///< complete scenario, heliostats sorted by name
    /// Target, aim points and inactive heliostats of a table, bodies of towers, and the terrain;
    /// the caller sets sun, optics and paths.
    RunConfig run;
    std::vector<std::string> report;  ///< lines for the user about read and assumed values
    /// Table of states (CSV) for state.file of the configuration; empty: all mirrors are alike.
    std::string states = {};
};

/// Builds the field of a template, with positions of its layout, which may be a table. Pivots are
/// `pivot_height` above the ground; names are H1, H2, ... with as many digits as needed, from the
/// inside out. Heliostats have azimuth-elevation kinematics with ideal drives. There is one light
/// source, a pillbox of 4.65 mrad. Throws InputError for layouts that are not possible, and for
/// heliostats that could collide: pivots closer than the smallest distance.
MadeField generate_field(const FieldTemplate& field, std::vector<std::string> report);

/// Builds the field of a template with the heliostats of a table. Two heliostats closer than the
/// mirror's shorter side cause an error; two closer than the template's smallest distance cause a
/// remark.
MadeField field_from_table(const FieldTemplate& field,
                           const CsvTable& table,
                           TableHeight height,
                           std::vector<std::string> report);

}  // namespace helioray
