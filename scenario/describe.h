// SPDX-License-Identifier: MIT
// What a scenario contains, as tables for people.
#pragma once

#include "scenario/types.h"

#include <string>
#include <vector>

namespace helioray {

/// A titled table; every row has as many cells as there are headers.
struct Table {
    std::string title;                           ///< the line above the table
    std::vector<std::string> headers;            ///< empty: no header line
    std::vector<std::vector<std::string>> rows;  ///< cells from left to right
};

/// Plant, targets, light sources, a summary of the heliostats, and warnings where there are some.
/// Lengths in metres, angles in degrees, as units in the headers say.
std::vector<Table> describe(const Scenario& scenario);

/// Plain text with aligned columns, a blank line between tables, a newline at the end.
std::string format_tables(const std::vector<Table>& tables);

}  // namespace helioray
