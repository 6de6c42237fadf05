// SPDX-License-Identifier: MIT
// Parses numbers, and formats them for tables and pictures.
#include "scenario/files/number_text.h"

#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace helioray {

std::optional<double> parse_number(const std::string& text) {
    if (text == ".nan" || text == ".NaN" || text == ".NAN") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    std::string digits = text.starts_with("+") ? text.substr(1) : text;
    const bool negative = digits.starts_with("-");
    const std::string magnitude = negative ? digits.substr(1) : digits;
    if (magnitude == ".inf" || magnitude == ".Inf" || magnitude == ".INF") {
        const double infinity = std::numeric_limits<double>::infinity();
        return negative ? -infinity : infinity;
    }
    if (text.starts_with("+") && negative) return std::nullopt;
    double value = 0.0;
    const char* end = digits.data() + digits.size();
    const auto [parsed, error] = std::from_chars(digits.data(), end, value);
    if (error == std::errc::result_out_of_range && parsed == end) {
        // Numbers that are too large for a double become infinite and are refused; too small ones
        // become zero.
        return std::strtod(digits.c_str(), nullptr);
    }
    if (error != std::errc() || parsed != end) return std::nullopt;
    return value;
}

std::string significant(double value, int digits) {
    if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    if (value == 0.0) return "0";
    // Use the exponent after rounding: 9.999 with two digits is 10.
    std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
    const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
    if (exponent < -4 || exponent >= 7) return rounded;
    return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

UnitScale power_scale(double largest) {
    constexpr double kKilo = 1e3;
    constexpr double kMega = 1e6;
    const double size = std::abs(largest);
    if (size >= kMega) return {kMega, "MW"};
    if (size >= kKilo) return {kKilo, "kW"};
    return {1.0, "W"};
}

std::string power_text(double watts) {
    const UnitScale scale = power_scale(watts);
    return significant(watts / scale.factor, 4) + " " + scale.unit;
}

UnitScale energy_scale(double largest) {
    constexpr double kKilowattHour = 3.6e6;
    constexpr double kMost = 1e4;  // largest number of a unit before the next unit is used
    const double kwh = std::abs(largest) / kKilowattHour;
    if (kwh >= 1e3 * kMost) return {1e6 * kKilowattHour, "GWh"};
    if (kwh >= kMost) return {1e3 * kKilowattHour, "MWh"};
    return {kKilowattHour, "kWh"};
}

std::string energy_text(double joules) {
    const UnitScale scale = energy_scale(joules);
    return significant(joules / scale.factor, 5) + " " + scale.unit;
}

std::string grouped(std::int64_t count) {
    std::string text = std::to_string(count);
    const size_t first = text[0] == '-' ? 1 : 0;
    for (size_t end = text.size(); end > first + 3; end -= 3) text.insert(end - 3, 1, ',');
    return text;
}

std::string counted(std::size_t count, const std::string& noun) {
    return grouped(static_cast<std::int64_t>(count)) + " " + noun + (count == 1 ? "" : "s");
}

std::string count_text(std::int64_t count) {
    const double value = static_cast<double>(count);
    if (std::abs(value) >= 1e12) return significant(value / 1e12, 3) + " trillion";
    if (std::abs(value) >= 1e9) return significant(value / 1e9, 3) + " billion";
    if (std::abs(value) >= 1e6) return significant(value / 1e6, 3) + " million";
    return grouped(count);
}

std::string duration_text(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0.0) return "-";
    if (seconds < 59.95) return significant(seconds, 3) + " s";
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string percent(double share) {
    return significant(100.0 * share, 2) + " %";
}

std::string point_text(const std::array<double, 3>& point) {
    std::string text;
    for (const double value : point) {
        // Avoid "-0.000".
        const double rounded = std::abs(value) < 0.0005 ? 0.0 : value;
        text += fmt::format("{}{:.3f}", text.empty() ? "(" : ", ", rounded);
    }
    return text + ")";
}

std::string sun_text(const std::array<double, 3>& direction) {
    const double length = std::hypot(direction[0], direction[1], direction[2]);
    if (!(length > 0.0)) return {};
    double azimuth = std::atan2(direction[0], direction[1]) / kRadiansPerDegree;
    if (azimuth < -0.05) azimuth += 360.0;
    const double elevation =
        std::asin(std::clamp(direction[2] / length, -1.0, 1.0)) / kRadiansPerDegree;
    return fmt::format("azimuth {:.1f}°, elevation {:.1f}°", std::abs(azimuth), elevation);
}

namespace {

bool starts_code_point(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::size_t text_width(const std::string& utf8) {
    return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), starts_code_point));
}

std::string shortened(const std::string& utf8, std::size_t width) {
    if (text_width(utf8) <= width) return utf8;
    std::size_t end = 0;
    for (std::size_t characters = 0; end < utf8.size(); ++end) {
        if (starts_code_point(utf8[end]) && characters++ + 1 >= width) break;
    }
    return utf8.substr(0, end) + "…";
}

}  // namespace helioray
