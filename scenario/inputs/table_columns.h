// SPDX-License-Identifier: MIT
// Recognises names of columns: those of the program, and those that other programs use for the same
// quantity.
#pragma once

#include "scenario/inputs/raw_table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// The column of the program that a header names.
struct ColumnMatch {
    enum class Fault {
        none,
        wrong_unit,  ///< The unit of the header is unknown or of another kind.
        no_unit,     ///< The header has the program's own name without its required unit.
    };
    std::string column;   ///< Name of the column in the program, with its unit: "elevation_deg".
    double factor = 1.0;  ///< Converts the file's unit into that of the program's name.
    /// Added after the factor: 90 degrees for angles from the zenith, -273.15 °C for kelvin.
    double offset = 0.0;
    /// If two columns have the same quantity, the one with the lower rank counts.
    std::size_t rank = 1;
    bool has_unit = false;  ///< True if the header contains its unit.
    Fault fault = Fault::none;
};

/// Returns the column among `known` that a header names, or nothing. The name is accepted in upper
/// or lower case, with any unit of its kind, and under the names that other programs write. Such
/// names without a unit have the unit of the program's column.
std::optional<ColumnMatch> match_column(const TableHeader& header,
                                        const std::vector<std::string>& known);

/// Returns the required unit of a column of the program; empty for texts and plain numbers.
std::string column_unit(const std::string& column);

/// Returns true for columns that are usual in weather files but not needed for direct irradiance
/// and positions of the sun: temperature, wind, global irradiance, "DNI source". `header` is the
/// text of a header or its words.
bool is_usual_weather(const std::string& header);

/// Returns true if a header shares a word with azimuth_deg, elevation_deg or dni_w_m2, so that an
/// unknown column may be the one that a table seems to lack.
bool may_mean(const std::string& header, const std::string& column);

/// Returns true for a column that could decide the result, so that ignoring it would compute
/// something else: irradiances, angles, sizes, optical properties. `header` is the text of a header
/// or its words.
bool could_decide(const std::string& header);

}  // namespace helioray
