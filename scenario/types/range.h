// SPDX-License-Identifier: MIT
// Limits of a number, declared once beside the type that has it.
#pragma once

#include <string>

namespace helioray {

/// Admissible values of a number, in the unit of the type or key that refers to it.
struct Range {
    double low = 0.0;        ///< smallest value
    double high = 0.0;       ///< largest value
    bool open_low = false;   ///< `low` itself is not admissible
    bool open_high = false;  ///< `high` itself is not admissible
    const char* why = "";    ///< reason for messages: "it is a share of the power"

    /// Returns true if a value is admissible; false for NaN.
    constexpr bool contains(double value) const {
        return (open_low ? value > low : value >= low) &&
               (open_high ? value < high : value <= high);
    }
    /// Returns the limits in a unit of which `factor` are one present unit.
    constexpr Range times(double factor) const {
        return {low * factor, high * factor, open_low, open_high, why};
    }
    std::string text() const;      ///< for tables: "0 to 1", "above 0 and below 1"
    std::string sentence() const;  ///< after "give a value": "from 0 to 1", "above 0 and below 1"
};

/// Formats a limit or default: "16384", "0.935", powers of ten from 1e5 on as "1e6".
std::string limit_text(double value);

}  // namespace helioray
