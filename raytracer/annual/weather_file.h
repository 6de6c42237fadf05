// SPDX-License-Identifier: MIT
// Files of measured or typical irradiance: CSV and EPW.
#pragma once

#include "raytracer/annual/irradiance.h"
#include "scenario/files/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Mean irradiance of an interval.
struct WeatherRow {
    std::int64_t time = 0;  ///< its start or end, milliseconds since 1970-01-01T00:00:00Z
    double dni = 0.0;       ///< W/m2
    std::string text;       ///< the time as ISO 8601, for messages
};

/// Rows of a file, ascending; those without a value are left out.
struct WeatherTable {
    std::vector<WeatherRow> rows;
    TimeStamp stamp = TimeStamp::start;  ///< which end of the intervals the times are
    std::vector<std::string> notes;      ///< unused columns, mismatches with the plant
};

/// Reads a file as weather_year() describes it. Throws InputError with every problem.
WeatherTable read_weather(const GeodeticPosition& plant,
                          const std::filesystem::path& file,
                          std::optional<TimeStamp> stamp,
                          int year);

/// Whether a text is that of an EPW file.
bool is_epw(const std::string& text);

/// A row of a file before its time is checked against the others.
struct RawWeatherRow {
    std::string time;           ///< normalised ISO 8601
    std::optional<double> dni;  ///< W/m2; nothing where the file has no value
    std::string place;          ///< "FILE:line", for messages
};

/// Rows of an EPW file (EnergyPlus weather; hours in local standard time, each with the mean of
/// the hour before), the times being the starts of these hours. Adds problems and notes.
std::vector<RawWeatherRow> read_epw_rows(const std::string& text,
                                         const GeodeticPosition& plant,
                                         const std::string& file,
                                         std::vector<Problem>& problems,
                                         std::vector<std::string>& notes);

}  // namespace helioray
