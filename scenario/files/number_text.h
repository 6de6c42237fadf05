// SPDX-License-Identifier: MIT
// Numbers as people read them: significant digits, unit prefixes, durations, counts.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace helioray {

/// Fixed notation with `digits` significant digits, at most as many decimals as that takes:
/// 1234.5, 4 -> "1234"; 0.012345, 3 -> "0.0123". Scientific below 1e-4 and from 1e7 on: "1.23e-05".
/// "0" for zero, "nan" and "inf" as they are.
std::string significant(double value, int digits);

/// A share in percent with two significant digits: 0.0123 -> "1.2 %".
std::string percent(double share);

/// A unit prefix: value / factor stands before unit.
struct UnitScale {
    double factor = 1.0;
    std::string unit;
};

/// "W", "kW" or "MW", so that a power of `largest` watts has one to three (MW: more) digits.
UnitScale power_scale(double largest);

/// A power with its own scale, four significant digits: "7.532 MW".
std::string power_text(double watts);

/// "kWh", "MWh" or "GWh" for energies up to `largest` joules, with one to four digits (GWh: more).
UnitScale energy_scale(double largest);

/// An energy with its own scale, five significant digits: "962.72 MWh". `joules` in J.
std::string energy_text(double joules);

/// "1,234,567".
std::string grouped(std::int64_t count);

/// "950", "12.3 thousand", "4.00 million", "3.20 billion".
std::string count_text(std::int64_t count);

/// "0.532 s", "12.3 s", "2 min 03 s", "1 h 02 min".
std::string duration_text(double seconds);

/// "(1.200, -3.000, 55.017)", metres to the millimetre.
std::string point_text(const std::array<double, 3>& point);

/// Direction to the sun as "azimuth 180.0°, elevation 45.0°", azimuth clockwise from north in
/// [0, 360); empty for a zero vector. `direction` is east, north, up.
std::string sun_text(const std::array<double, 3>& direction);

/// Number of code points of a UTF-8 text: its width on a terminal for the scripts we print.
std::size_t text_width(const std::string& utf8);

/// Cut to at most `width` code points, the last one then "…".
std::string shortened(const std::string& utf8, std::size_t width);

}  // namespace helioray
