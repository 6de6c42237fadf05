// SPDX-License-Identifier: MIT
// Scenarios from field templates.
#pragma once

#include "scenario/field/field_template.h"
#include "scenario/field/layout_table.h"
#include "scenario/run_config.h"

#include <string>
#include <vector>

namespace helioray {

/// A plant that was made, and what a scenario cannot hold of it.
struct MadeField {
    Scenario scenario;  ///< complete, heliostats by name
    /// Target, aim points and inactive heliostats of a table, body of the tower; sun, optics and
    /// paths are left to the caller.
    RunConfig run;
    std::vector<std::string> report;  ///< what was read, assumed and made, line by line
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
