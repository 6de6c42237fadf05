// SPDX-License-Identifier: MIT
// Reads weather files of EnergyPlus.
#include "raytracer/studies/annual/weather/weather_formats.h"

#include <fmt/format.h>

#include <sstream>

namespace helioray {

namespace {

constexpr std::string_view kLocation = "LOCATION,";
constexpr std::string_view kPeriods = "DATA PERIODS,";
// Columns of a row, counted from 0.
constexpr size_t kDryBulbColumn = 6, kDirectNormalColumn = 14;
// Values from these on are missing.
constexpr double kMissing = 9999.0, kMissingTemperature = 99.9;

/// Returns the offset from UTC and sets the site.
std::string read_location(const std::string& line,
                          const std::string& file,
                          WeatherContent& content) {
    const std::vector<std::string> cells = cells_between_commas(line);
    const auto latitude = number_in_cell(cells, 6, -90.0, 90.0);
    const auto longitude = number_in_cell(cells, 7, -180.0, 180.0);
    const auto zone = number_in_cell(cells, 8, -14.0, 14.0);
    return take_site(content,
                     latitude,
                     longitude,
                     zone,
                     file + ":1",
                     "write LOCATION,city,state,country,source,station,latitude,longitude,"
                     "zone,elevation");
}

/// Returns the time at which the row's hour begins; hour 24 begins at 23:00.
std::optional<std::string> start_of_hour(const std::vector<std::string>& cells,
                                         const std::string& offset) {
    const auto year = number_in_cell(cells, 0, 1, 9998), month = number_in_cell(cells, 1, 1, 12),
               day = number_in_cell(cells, 2, 1, 31), hour = number_in_cell(cells, 3, 1, 24);
    if (!year || !month || !day || !hour) return std::nullopt;
    return time_of_day(*year, *month, *day, 60.0 * (*hour - 1.0), offset);
}

}  // namespace

bool is_epw(const std::string& text) {
    return text.starts_with(kLocation);
}

WeatherContent read_epw(const std::string& text, const std::string& file) {
    WeatherContent content;
    content.format = "EPW";
    content.has_fixed_stamp = content.is_typical = true;
    std::istringstream stream(text);
    std::string line, offset;
    bool in_data = false;
    for (int count = 1; std::getline(stream, line); ++count) {
        const std::string place = fmt::format("{}:{}", file, count);
        if (count == 1) {
            offset = read_location(line, file, content);
        } else if (!in_data) {
            if (!line.starts_with(kPeriods)) continue;
            in_data = true;
            if (number_in_cell(cells_between_commas(line), 2, 1, 1)) continue;
            content.problems.push_back({place,
                                        "has several records per hour",
                                        "hours are read",
                                        "make a CSV file with the columns time and dni_w_m2"});
        } else {
            const std::vector<std::string> cells = cells_between_commas(line);
            if (cells.empty()) continue;
            const auto time = start_of_hour(cells, offset);
            if (!time) {
                content.problems.push_back({place,
                                            "begins with no year, month, day and hour from 1 to 24",
                                            "",
                                            "correct or remove the row"});
            } else if (cells.size() <= kDirectNormalColumn) {
                content.problems.push_back({place,
                                            "has no direct normal radiation (column 15)",
                                            "",
                                            "correct or remove the row"});
            } else {
                const auto cell = [&](size_t column, double missing) {
                    const bool is_missing = number_in_cell(cells, column, missing, 1e9).has_value();
                    return is_missing ? "" : cells[column];
                };
                add_row(content,
                        *time,
                        {cell(kDirectNormalColumn, kMissing),
                         cell(kDryBulbColumn, kMissingTemperature)},
                        place,
                        "column 15");
            }
        }
    }
    if (!in_data) {
        content.problems.push_back({file,
                                    "has no line 'DATA PERIODS'",
                                    "the rows of an EPW file follow it",
                                    "take the complete file"});
    }
    return content;
}

}  // namespace helioray
