// SPDX-License-Identifier: MIT
// Checks the values of weather tables.
#pragma once

#include "raytracer/studies/annual/weather/place.h"
#include "raytracer/studies/annual/weather/weather_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// An interval with light.
struct LitInterval {
    std::int64_t start = 0;                  ///< milliseconds since 1970-01-01T00:00:00Z
    double dni = 0.0;                        ///< W/m2, above 0; mean over the interval
    std::optional<double> temperature = {};  ///< see WeatherRow::temperature
};

/// The intervals of a table that have light, ascending.
struct LitIntervals {
    std::int64_t length = 0;  ///< length of every interval, milliseconds
    std::vector<LitInterval> rows;
};

/// Checks the values of a table by the rules of weather_year(). Adds notes about missing times,
/// values below 0 and incomplete years. Throws InputError for values that the rules refuse.
LitIntervals find_lit_intervals(const WeatherTable& table,
                                const Place& place,
                                std::vector<std::string>& notes);

}  // namespace helioray
