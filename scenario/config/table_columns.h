// SPDX-License-Identifier: MIT
// Names of columns: those of the program, and those that other programs write for the same.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Another program's name for a column of ours.
struct ColumnSynonym {
    const char* column;  ///< Ours, with its unit: "elevation_deg".
    const char* name;    ///< Words joined by '_', without a unit: "apparent_elevation".
    /// The angle is measured from the zenith, so that elevation = 90 degrees - angle.
    bool from_zenith = false;
};

/// All synonyms; where a table has several names of one column, the first one here counts. The unit
/// is that of our column where the header names none.
const std::vector<ColumnSynonym>& column_synonyms();

/// Whether a column that a reader does not know could decide the result, so that leaving it out
/// would give the result of something else: irradiances, angles, sizes, optical properties. `name`
/// is a header or its words.
bool could_decide(const std::string& name);

}  // namespace helioray
