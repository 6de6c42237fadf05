// SPDX-License-Identifier: MIT
// Recognises the format of a weather file and sorts its rows by time.
#include "raytracer/studies/annual/weather/weather_file.h"

#include "raytracer/studies/annual/weather/weather_formats.h"
#include "scenario/files/error.h"
#include "scenario/files/foreign_file.h"
#include "scenario/files/text_file.h"
#include "scenario/inputs/column_table.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

WeatherContent read_table(const std::filesystem::path& file) {
    WeatherContent content;
    const ColumnTable table(file,
                            {"time", "dni_w_m2"},
                            {"temperature_c"},
                            content.problems,
                            ColumnTable::OtherColumns::warn);
    if (!table.has("time") || !table.has("dni_w_m2")) return content;
    if (!table.other_columns().empty()) {
        content.notes.push_back(
            fmt::format("columns that are not used: {}", fmt::join(table.other_columns(), ", ")));
    }
    const bool has_temperature = table.has("temperature_c");
    for (size_t i = 0; i < table.num_rows(); ++i) {
        if (const auto time = table.time(i, "time"))
            add_row(content,
                    *time,
                    {table.plain_text(i, "dni_w_m2"),
                     has_temperature ? table.plain_text(i, "temperature_c") : ""},
                    table.place(i),
                    "dni_w_m2");
    }
    double brightest = 0.0;
    for (const RawWeatherRow& row : content.rows)
        brightest = std::max(brightest, row.dni.value_or(0));
    if (!table.match("dni_w_m2").has_unit && brightest > 0.0 && brightest < 2.0) {
        content.notes.push_back(
            fmt::format("the irradiance is at most {} W/m2; if it is in kW/m2, name the column "
                        "dni_kw_m2, and else dni_w_m2",
                        brightest));
    }
    return content;
}

WeatherContent read_content(const std::filesystem::path& file, int year) {
    const std::string name = file.string();
    std::string bytes = read_text_file(file, "it holds the irradiance");
    refuse_foreign_file(bytes, name, "a text file with weather (CSV, EPW, JSON of PVGIS, .motab)");
    const std::string text = without_byte_order_mark(std::move(bytes));
    if (is_epw(text)) return read_epw(text, name);
    if (is_pvgis(text)) return read_pvgis(text, name);
    if (is_motab(text)) return read_motab(text, name, year);
    if (is_tmy3(text)) return read_tmy3(text, name);
    if (is_sam_csv(text)) return read_sam_csv(text, name);
    refuse_other_weather_formats(text, name);
    return read_table(file);
}

/// Returns a remark if the file is for a different location than the plant's; otherwise an empty
/// text.
std::string distance_note(const GeodeticPosition& site, const GeodeticPosition& plant) {
    constexpr double kFarDegrees = 0.5;
    const double east = std::remainder(site.longitude_deg - plant.longitude_deg, 360.0);
    if (std::abs(site.latitude_deg - plant.latitude_deg) <= kFarDegrees &&
        std::abs(east) <= kFarDegrees) {
        return "";
    }
    return fmt::format(
        "is for latitude {:.2f}°, longitude {:.2f}°; the plant is located at {:.2f}°, "
        "{:.2f}°",
        site.latitude_deg,
        site.longitude_deg,
        plant.latitude_deg,
        plant.longitude_deg);
}

/// Returns the instant at the same day and hour of another year, or no value if that year lacks the
/// day. An interval that ends at midnight belongs to the previous day.
std::optional<std::int64_t> moved(const std::string& time, TimeStamp stamp, int year) {
    const std::int64_t inside = stamp == TimeStamp::end ? 1000 : 0;
    std::string other = iso_time_at(milliseconds_of(time) - inside, time);
    other.replace(0, 4, fmt::format("{:04}", year));
    if (!parse_iso_time(other).error.empty()) return std::nullopt;
    return milliseconds_of(other) + inside;
}

bool has_several_years(const std::vector<RawWeatherRow>& rows) {
    for (size_t i = 1; i < rows.size(); ++i) {
        if (milliseconds_of(rows[i].time) <= milliseconds_of(rows[i - 1].time)) return true;
    }
    return false;
}

/// Adds the rows to the table, moved to `year` if that is above 0.
void add_rows(WeatherTable& table, const std::vector<RawWeatherRow>& rows, int year) {
    std::vector<Problem> problems;
    for (const RawWeatherRow& row : rows) {
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
        table.rows.push_back({*instant, row.dni, time, row.place, row.temperature});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

WeatherTable read_weather(const GeodeticPosition& plant,
                          const std::filesystem::path& file,
                          std::optional<TimeStamp> stamp,
                          int year) {
    WeatherContent content = read_content(file, year);
    WeatherTable table;
    table.name = file.string();
    table.stamp = stamp.value_or(content.stamp);
    table.is_stamp_assumed =
        !stamp && !content.has_fixed_stamp && content.stamp == TimeStamp::start;
    if (stamp && content.has_fixed_stamp) {
        content.problems.push_back({"--weather-time",
                                    fmt::format("is not for this file ({})", content.format),
                                    "its format defines the interval of every row",
                                    "leave it out"});
    }
    if (!content.problems.empty()) throw InputError(std::move(content.problems));
    if (content.site) {
        const std::string note = distance_note(*content.site, plant);
        if (!note.empty()) content.notes.push_back(note);
    }
    if (year <= 0 && content.is_typical && has_several_years(content.rows)) {
        year = kUsualYear;
        content.notes.push_back(
            fmt::format("its months come from several years: all rows are moved to {} (choose with "
                        "--year)",
                        year));
    }
    for (const std::string& note : content.notes) table.notes.push_back(table.name + ": " + note);
    add_rows(table, content.rows, content.has_years ? year : 0);
    return table;
}

WeatherTable weather_table(const WeatherSeries& series, std::optional<TimeStamp> stamp, int year) {
    WeatherTable table;
    table.name = series.name;
    table.stamp = stamp.value_or(TimeStamp::start);
    table.is_stamp_assumed = !stamp;
    if (series.times.size() != series.dni.size()) {
        throw InputError(Problem{
            series.name,
            fmt::format("has {} times and {} irradiances", series.times.size(), series.dni.size()),
            "each time has one irradiance",
            "give lists of equal length"});
    }
    if (!series.temperature.empty() && series.times.size() != series.temperature.size()) {
        throw InputError(Problem{
            series.name,
            fmt::format(
                "has {} times and {} temperatures", series.times.size(), series.temperature.size()),
            "each time has one temperature, or none has one",
            "give lists of equal length"});
    }
    std::vector<RawWeatherRow> rows;
    rows.reserve(series.times.size());
    const std::string utc = "1970-01-01T00:00:00+00:00";
    for (size_t i = 0; i < series.times.size(); ++i) {
        std::optional<double> dni;
        if (!std::isnan(series.dni[i]) && !is_missing_mark(fmt::format("{}", series.dni[i])))
            dni = series.dni[i];
        rows.push_back(
            {iso_time_at(series.times[i], utc), dni, fmt::format("{}: row {}", series.name, i)});
        if (!series.temperature.empty() && kTemperatures.contains(series.temperature[i]))
            rows.back().temperature = series.temperature[i];
    }
    add_rows(table, rows, year);
    return table;
}

}  // namespace helioray
