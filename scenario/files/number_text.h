// SPDX-License-Identifier: MIT
// Numbers as text: parses them, and formats them for people with significant digits, unit prefixes,
// durations and counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace helioray {

/// Returns the number if the whole text is one, finite or not ("1e6", "-.5", ".inf"); otherwise
/// nothing.
std::optional<double> parse_number(const std::string& text);

/// Returns fixed notation with `digits` significant digits and only as many decimals as these need:
/// 1234.5, 4 -> "1234"; 0.012345, 3 -> "0.0123". Numbers below 1e-4 and from 1e7 on are in
/// scientific notation: "1.23e-05". Returns "0" for zero, "nan" and "inf" unchanged.
std::string significant(double value, int digits);

/// Returns a fraction in percent with two significant digits: 0.0123 -> "1.2 %".
std::string percent(double share);

/// A unit with prefix; values are divided by `factor`.
struct UnitScale {
    double factor = 1.0;
    std::string unit;
};

/// Returns "W", "kW" or "MW", so that a power of `largest` watts has one to three (MW: more)
/// digits.
UnitScale power_scale(double largest);

/// Returns a power in its own scale with four significant digits: "7.532 MW".
std::string power_text(double watts);

/// Returns "kWh", "MWh" or "GWh" for energies up to `largest` joules, with one to four digits (GWh:
/// more).
UnitScale energy_scale(double largest);

/// Returns an energy in its own scale with five significant digits: "962.72 MWh". `joules` is in J.
std::string energy_text(double joules);

/// Returns a count with separators: "1,234,567".
std::string grouped(std::int64_t count);

/// Returns a count with its noun: "1 step", "1,234 steps".
std::string counted(std::size_t count, const std::string& noun);

/// Returns a count in words: "950", "12.3 thousand", "4.00 million", "3.20 billion".
std::string count_text(std::int64_t count);

/// Returns a duration: "0.532 s", "12.3 s", "2 min 03 s", "1 h 02 min".
std::string duration_text(double seconds);

/// Returns a point in metres to the millimetre: "(1.200, -3.000, 55.017)".
std::string point_text(const std::array<double, 3>& point);

/// Returns a direction to the sun as "azimuth 180.0°, elevation 45.0°", with the azimuth clockwise
/// from north in [0, 360). Returns an empty text for a zero vector. `direction` is east, north, up.
std::string sun_text(const std::array<double, 3>& direction);

/// Returns the number of code points of a UTF-8 text: its width on a terminal for the scripts that
/// the program prints.
std::size_t text_width(const std::string& utf8);

/// Returns the text cut to at most `width` code points; the last one of a cut text is "…".
std::string shortened(const std::string& utf8, std::size_t width);

}  // namespace helioray
