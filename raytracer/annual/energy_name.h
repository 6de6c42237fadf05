// SPDX-License-Identifier: MIT
// Names and units in files, tables and pictures of a year. Internal to these.
#pragma once

#include <array>
#include <numbers>
#include <string>
#include <string_view>

namespace helioray {

inline constexpr double kRadiansPerDegree = std::numbers::pi / 180.0;

inline constexpr std::array<const char*, 12> kMonthNames{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// "solar_energy" of "solar_power"; losses keep their names.
inline std::string energy_name(const std::string& term) {
    constexpr std::string_view kPower = "_power";
    return term.ends_with(kPower) ? term.substr(0, term.size() - kPower.size()) + "_energy" : term;
}

}  // namespace helioray
