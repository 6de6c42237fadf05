// SPDX-License-Identifier: MIT
// Fields of heliostats from templates and tables of positions.
#pragma once

#include "scenario/field/field_template.h"
#include "scenario/reader/read_log.h"
#include "scenario/run_config.h"

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
    bool enabled = true;                     ///< false: it is there and does not reflect
    std::string where;                       ///< for messages
};

/// The meaning of a table's z column.
enum class TableHeight { pivot, ground };

/// Heliostats of a table with one header line. Names of columns are matched in any case;
/// units stand in them ("x [m]", "x (ft)", "x_mm") or in a second line of units as SolarPILOT
/// writes it. Known columns are listed in scenario/IMPORT.md; others are ignored with a remark.
/// Without a z column pivots stand `pivot_height` metres above 0. Remarks go to the log, and every
/// problem with line and column.
std::vector<HeliostatPlace> read_layout_table(const CsvTable& table,
                                              double pivot_height,
                                              TableHeight height,
                                              ReadLog& log);

/// A generated plant, and the facts that a scenario cannot hold.
struct MadeField {
    Scenario scenario;  ///< complete, heliostats by name
    /// Target, aim points and inactive heliostats of a table, body of the tower; sun, optics and
    /// paths are left to the caller.
    RunConfig run;
    std::vector<std::string> report;  ///< lines for the user: values read, assumed and made
};

/// Makes the field of a template: positions of its layout, which may be a table. Pivots stand
/// `pivot_height` above flat ground; names are H1, H2, ... with as many digits as needed, from the
/// inside out. Heliostats have azimuth-elevation kinematics with ideal drives. One light source: a
/// pillbox of 4.65 mrad. Throws InputError for layouts that do not work out, and for heliostats
/// that could collide: pivots closer than the smallest distance.
MadeField generate_field(const FieldTemplate& field, std::vector<std::string> report);

/// The same with the heliostats of a table. Two heliostats closer than the mirror's size along its
/// shorter side are an error, closer than the template's smallest distance a remark.
MadeField field_from_table(const FieldTemplate& field,
                           const std::filesystem::path& table,
                           TableHeight height,
                           std::vector<std::string> report);

/// The receiver of a template as a target.
Target receiver_target(const FieldTemplate& field);

}  // namespace helioray
