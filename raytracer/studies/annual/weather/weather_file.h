// SPDX-License-Identifier: MIT
// Measured or typical irradiance with checked times.
#pragma once

#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/files/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Mean irradiance of an interval.
struct WeatherRow {
    /// Time, milliseconds since 1970-01-01T00:00:00Z, see WeatherTable::stamp.
    std::int64_t time = 0;
    /// Irradiance, W/m2, any number; not set if the source has no value.
    std::optional<double> dni;
    std::string text;   ///< time as ISO 8601, for messages
    std::string place;  ///< "FILE:line", for messages
    /// Temperature of the air, °C, in kTemperatures; not set if the source has no value.
    std::optional<double> temperature = {};
};

/// Rows of a source, ascending in time.
struct WeatherTable {
    std::string name;  ///< name of the file, for messages
    std::vector<WeatherRow> rows;
    TimeStamp stamp = TimeStamp::start;  ///< position of the times within the intervals
    bool is_stamp_assumed = false;       ///< neither the user nor the format says what `stamp` is
    std::vector<std::string> notes;  ///< notes about unused columns and mismatches with the plant
};

/// Reads a file as described for weather_year(). Throws InputError with every problem of its text
/// and its times.
WeatherTable read_weather(const GeodeticPosition& plant,
                          const std::filesystem::path& file,
                          std::optional<TimeStamp> stamp,
                          int year);

/// Returns the table of a series. Throws InputError for times that do not ascend and for lists of
/// different lengths.
WeatherTable weather_table(const WeatherSeries& series, std::optional<TimeStamp> stamp, int year);

}  // namespace helioray
