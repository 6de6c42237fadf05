// SPDX-License-Identifier: MIT
// Reading of weather files: CSV and EPW.
#include "raytracer/annual/weather_file.h"

#include "scenario/config/column_table.h"
#include "scenario/config/section.h"
#include "scenario/files/error.h"
#include "scenario/files/text_file.h"
#include "scenario/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <sstream>

namespace helioray {

namespace {

constexpr double kHighestIrradiance = 1500.0;

/// Whether a cell has one of the usual marks for a missing value.
bool is_missing(std::string cell) {
    std::ranges::transform(cell, cell.begin(), [](unsigned char c) { return std::tolower(c); });
    return cell.empty() || cell == "nan" || cell == "na" || cell == "null";
}

std::vector<RawWeatherRow> read_table_rows(const std::filesystem::path& file,
                                           std::vector<Problem>& problems,
                                           std::vector<std::string>& notes) {
    const ColumnTable table(
        file, {"time", "dni_w_m2"}, {}, problems, ColumnTable::OtherColumns::warn);
    std::vector<RawWeatherRow> rows;
    if (!table.has("time") || !table.has("dni_w_m2")) return rows;
    if (!table.other_columns().empty()) {
        notes.push_back(fmt::format("{}: columns that are not used: {}",
                                    file.string(),
                                    fmt::join(table.other_columns(), ", ")));
    }
    for (size_t i = 0; i < table.num_rows(); ++i) {
        const auto time = table.time(i, "time");
        std::optional<double> dni;
        if (!is_missing(table.text(i, "dni_w_m2"))) {
            dni = table.number(i, "dni_w_m2", 0.0, kHighestIrradiance);
            if (!dni) continue;
        }
        if (time) rows.push_back({*time, dni, table.place(i, "time")});
    }
    return rows;
}

/// The instant at the same day and hour of another year, or nothing where that has no such day. An
/// interval that ends at midnight belongs to the day before.
std::optional<std::int64_t> moved(const std::string& time, TimeStamp stamp, int year) {
    const std::int64_t inside = stamp == TimeStamp::end ? 1000 : 0;
    std::string other = iso_time_at(milliseconds_of(time) - inside, time);
    other.replace(0, 4, fmt::format("{:04}", year));
    if (!parse_iso_time(other).error.empty()) return std::nullopt;
    return milliseconds_of(other) + inside;
}

/// Throws InputError with the first problems: a wrong column or unit is a problem in every row.
[[noreturn]] void refuse(std::vector<Problem> problems, const std::filesystem::path& file) {
    constexpr size_t kShown = 20;
    if (problems.size() > kShown) {
        const size_t more = problems.size() - kShown;
        problems.resize(kShown);
        problems.push_back({file.string(), fmt::format("has {} more problems", more), "", ""});
    }
    throw InputError(std::move(problems));
}

}  // namespace

WeatherTable read_weather(const GeodeticPosition& plant,
                          const std::filesystem::path& file,
                          std::optional<TimeStamp> stamp,
                          int year) {
    std::vector<Problem> problems;
    WeatherTable table;
    std::vector<RawWeatherRow> raw;
    const std::string text = read_text_file(file, "it holds the irradiance");
    if (is_epw(text)) {
        if (stamp) {
            problems.push_back({"--weather-time",
                                "is not for an EPW file",
                                "its rows always hold the mean of the hour before",
                                "leave it out"});
        }
        raw = read_epw_rows(text, plant, file.string(), problems, table.notes);
    } else {
        table.stamp = stamp.value_or(TimeStamp::start);
        raw = read_table_rows(file, problems, table.notes);
    }
    if (!problems.empty()) refuse(std::move(problems), file);

    for (const RawWeatherRow& row : raw) {
        const auto instant =
            year > 0 ? moved(row.time, table.stamp, year) : milliseconds_of(row.time);
        if (!instant) {
            problems.push_back({row.place,
                                fmt::format("the day does not exist in {}", year),
                                "all rows are moved to that year",
                                "choose a leap year, or remove the row"});
            continue;
        }
        const std::string time = iso_time_at(*instant, row.time);
        if (!table.rows.empty() && *instant <= table.rows.back().time) {
            problems.push_back({row.place,
                                fmt::format("{} does not follow {}", time, table.rows.back().text),
                                "rows ascend in time",
                                year > 0 ? "sort them by day and hour"
                                         : "sort them; for a year made of several years use "
                                           "--year"});
            break;
        }
        if (row.dni) table.rows.push_back({*instant, *row.dni, time});
    }
    if (problems.empty() && table.rows.size() < 2) {
        problems.push_back({file.string(),
                            "has fewer than two rows with an irradiance",
                            "their distance in time is the interval",
                            ""});
    }
    if (!problems.empty()) refuse(std::move(problems), file);
    return table;
}

namespace {

constexpr std::string_view kLocation = "LOCATION,";
constexpr std::string_view kPeriods = "DATA PERIODS,";
// Columns of a row, from 0.
constexpr size_t kDirectNormal = 14;
constexpr double kMissing = 9999.0;  // and above

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) {
        const size_t first = cell.find_first_not_of(" \t\r");
        const size_t last = cell.find_last_not_of(" \t\r");
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return cells;
}

/// The number in a cell; nothing if it is not a number or lies outside [low, high].
std::optional<double> number(const std::vector<std::string>& cells,
                             size_t index,
                             double low,
                             double high) {
    if (index >= cells.size()) return std::nullopt;
    const auto value = parse_number(cells[index]);
    return value && *value >= low && *value <= high ? value : std::nullopt;
}

/// "+05:30" of 5.5.
std::string offset_text(double hours) {
    const auto minutes = static_cast<int>(std::lround(std::abs(hours) * 60.0));
    return fmt::format("{}{:02}:{:02}", hours < 0.0 ? '-' : '+', minutes / 60, minutes % 60);
}

/// The offset from UTC in hours; adds a note if the file is of another place than the plant's.
std::string read_location(const std::string& line,
                          const GeodeticPosition& plant,
                          const std::string& file,
                          std::vector<Problem>& problems,
                          std::vector<std::string>& notes) {
    const std::vector<std::string> cells = cells_of(line);
    const auto latitude = number(cells, 6, -90.0, 90.0);
    const auto longitude = number(cells, 7, -180.0, 180.0);
    const auto zone = number(cells, 8, -14.0, 14.0);
    if (!latitude || !longitude || !zone) {
        problems.push_back({file + ":1",
                            "the location has no latitude, longitude and time zone",
                            "times are local",
                            "write LOCATION,city,state,country,source,station,latitude,longitude,"
                            "zone,elevation"});
        return "+00:00";
    }
    constexpr double kFarDegrees = 0.5;
    const double east = std::remainder(*longitude - plant.longitude_deg, 360.0);
    if (std::abs(*latitude - plant.latitude_deg) > kFarDegrees || std::abs(east) > kFarDegrees) {
        notes.push_back(fmt::format(
            "{}: is for latitude {:.2f}°, longitude {:.2f}°; the plant stands at {:.2f}°, {:.2f}°",
            file,
            *latitude,
            *longitude,
            plant.latitude_deg,
            plant.longitude_deg));
    }
    return offset_text(*zone);
}

/// Time at which the row's hour begins; hour 24 begins at 23:00.
std::optional<std::string> start_of_hour(const std::vector<std::string>& cells,
                                         const std::string& offset) {
    const auto year = number(cells, 0, 1, 9998), month = number(cells, 1, 1, 12),
               day = number(cells, 2, 1, 31), hour = number(cells, 3, 1, 24);
    if (!year || !month || !day || !hour) return std::nullopt;
    const auto whole = [](double value) { return static_cast<int>(value); };
    const std::chrono::year_month_day date{std::chrono::year(whole(*year)),
                                           std::chrono::month(static_cast<unsigned>(whole(*month))),
                                           std::chrono::day(static_cast<unsigned>(whole(*day)))};
    if (!date.ok()) return std::nullopt;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:00:00{}",
                       whole(*year),
                       whole(*month),
                       whole(*day),
                       whole(*hour) - 1,
                       offset);
}

}  // namespace

bool is_epw(const std::string& text) {
    return text.starts_with(kLocation);
}

std::vector<RawWeatherRow> read_epw_rows(const std::string& text,
                                         const GeodeticPosition& plant,
                                         const std::string& file,
                                         std::vector<Problem>& problems,
                                         std::vector<std::string>& notes) {
    std::istringstream stream(text);
    std::string line, offset;
    std::vector<RawWeatherRow> rows;
    bool in_data = false;
    for (int count = 1; std::getline(stream, line); ++count) {
        const std::string place = fmt::format("{}:{}", file, count);
        if (count == 1) {
            offset = read_location(line, plant, file, problems, notes);
        } else if (!in_data) {
            if (!line.starts_with(kPeriods)) continue;
            in_data = true;
            const std::vector<std::string> cells = cells_of(line);
            if (number(cells, 2, 1, 1)) continue;
            problems.push_back({place,
                                "has several records per hour",
                                "hours are read",
                                "make a CSV file with the columns time and dni_w_m2"});
        } else {
            const std::vector<std::string> cells = cells_of(line);
            if (cells.empty()) continue;
            const auto time = start_of_hour(cells, offset);
            const auto dni = number(cells, kDirectNormal, 0.0, kHighestIrradiance);
            const bool missing = number(cells, kDirectNormal, kMissing, 1e9).has_value();
            if (time && (dni || missing)) {
                rows.push_back({*time, dni, place});
                continue;
            }
            problems.push_back(
                {place,
                 time ? "the direct normal radiation (column 15) is not a number from "
                        "0 to 1500"
                      : "begins with no year, month, day and hour from 1 to 24",
                 "",
                 "correct or remove the row"});
        }
    }
    if (!in_data) {
        problems.push_back({file,
                            "has no line 'DATA PERIODS'",
                            "the rows of an EPW file follow it",
                            "take the complete file"});
    }
    return rows;
}

}  // namespace helioray
