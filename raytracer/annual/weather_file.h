// SPDX-License-Identifier: MIT
// Measured or typical irradiance with checked times.
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
    std::int64_t time = 0;  ///< milliseconds since 1970-01-01T00:00:00Z, see WeatherTable::stamp
    std::optional<double> dni;  ///< W/m2, any number; nothing where the source has no value
    std::string text;           ///< the time as ISO 8601, for messages
    std::string place;          ///< "FILE:line", for messages
};

/// Rows of a source, ascending in time.
struct WeatherTable {
    std::string name;  ///< the file, for messages
    std::vector<WeatherRow> rows;
    TimeStamp stamp = TimeStamp::start;  ///< which moment of the intervals the times are
    std::vector<std::string> notes;      ///< unused columns, mismatches with the plant
};

/// Reads a file as weather_year() describes it. Throws InputError with every problem of its text
/// and its times.
WeatherTable read_weather(const GeodeticPosition& plant,
                          const std::filesystem::path& file,
                          std::optional<TimeStamp> stamp,
                          int year);

/// The table of a series. Throws InputError for times that do not ascend and for lists of different
/// lengths.
WeatherTable weather_table(const WeatherSeries& series, std::optional<TimeStamp> stamp, int year);

/// Throws InputError with the first 20 problems: a wrong column or unit is a problem in every row.
[[noreturn]] void refuse_weather(std::vector<Problem> problems, const std::string& name);

}  // namespace helioray
