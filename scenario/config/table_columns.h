// SPDX-License-Identifier: MIT
// Names of columns: those of the program, and those that other programs write for the same.
#pragma once

#include "scenario/config/raw_table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A column of the program that a header names.
struct ColumnMatch {
    enum class Fault {
        none,
        wrong_unit,  ///< The unit of the header is unknown or of another kind.
        no_unit,     ///< The program's own name without the unit that belongs to it.
    };
    std::string column;     ///< The program's name, with its unit: "elevation_deg".
    double factor = 1.0;    ///< Converts the file's unit into that of the program's name.
    double offset = 0.0;    ///< Added after the factor, deg: 90 for angles from the zenith.
    std::size_t rank = 1;   ///< Of two columns for the same, the one with the lower rank counts.
    bool has_unit = false;  ///< The header names its unit.
    Fault fault = Fault::none;
};

/// Returns which of the `known` columns a header names, in any case and with any unit of its kind,
/// and under the names that other programs write; nothing for other headers. Without a unit, those
/// names have the unit of the program's column.
std::optional<ColumnMatch> match_column(const TableHeader& header,
                                        const std::vector<std::string>& known);

/// Returns the unit that belongs to a column of the program; empty for texts and plain numbers.
std::string unit_of_column(const std::string& column);

/// Returns true for columns that weather files have besides the direct irradiance and positions
/// of the sun do not need: temperature, wind, global irradiance, "DNI source". `header` is the text
/// of a header or its words.
bool is_usual_weather(const std::string& header);

/// Returns true for a header with a word that azimuth_deg, elevation_deg or dni_w_m2 have, so that
/// an unknown column may be the one that a table seems to lack.
bool may_mean(const std::string& header, const std::string& column);

/// Returns true for a column that could decide the result, so that leaving it out would give the
/// result of something else: irradiances, angles, sizes, optical properties. `header` is the text
/// of a header or its words.
bool could_decide(const std::string& header);

}  // namespace helioray
