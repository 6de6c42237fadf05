// SPDX-License-Identifier: MIT
// Tables of irradiance with a header, and what all weather files have in common.
#include "raytracer/annual/weather_file.h"

#include "scenario/config/column_table.h"
#include "scenario/config/iso_time.h"
#include "scenario/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace helioray {

namespace {

constexpr double kHighestIrradiance = 1500.0;

/// What loggers and tables write where they have no value.
bool is_missing(std::string cell) {
    std::ranges::transform(cell, cell.begin(), [](unsigned char c) { return std::tolower(c); });
    return cell.empty() || cell == "nan" || cell == "na" || cell == "null";
}

std::vector<RawWeatherRow> read_table_rows(const std::filesystem::path& file,
                                           std::vector<Problem>& problems,
                                           std::vector<std::string>& notes) {
    const ColumnTable table(
        file, {"time", "dni_w_m2"}, {}, problems, ColumnTable::OtherColumns::ignore);
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

/// A wrong column or unit makes a problem of every row; the first ones tell.
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
                                "its rows always stand for the hour before",
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
                            "has less than two rows with an irradiance",
                            "their distance is the interval",
                            ""});
    }
    if (!problems.empty()) refuse(std::move(problems), file);
    return table;
}

}  // namespace helioray
