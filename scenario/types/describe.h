// SPDX-License-Identifier: MIT
// Describes the content of a scenario in tables for users.
#pragma once

#include "scenario/types/types.h"

#include <string>
#include <vector>

namespace helioray {

/// A titled table; every row has as many cells as there are headers.
struct Table {
    std::string title;                           ///< line above the table
    std::vector<std::string> headers;            ///< headers; empty: no header line
    std::vector<std::vector<std::string>> rows;  ///< cells from left to right
};

/// Returns tables of plant, targets, light sources, a summary of the heliostats, and warnings if
/// there are any. Lengths are in metres, angles in degrees, with units in the headers.
std::vector<Table> describe(const Scenario& scenario);

/// Formats plain text with aligned columns, a blank line between tables and a newline at the end.
std::string format_tables(const std::vector<Table>& tables);

}  // namespace helioray
