// SPDX-License-Identifier: MIT
// Reads files of PVGIS: hourly data and typical years, as CSV and as JSON.
#include "raytracer/studies/annual/weather/weather_formats.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace helioray {

namespace {

constexpr std::string_view kFirstLine = "Latitude (decimal degrees)";
constexpr const char* kDirectNormalName = "Gb(n)";
constexpr const char* kInPlane = "Gb(i)";
constexpr const char* kTemperatureName = "T2m";

/// A time such as "20050101:0010".
struct PvgisTime {
    double year = 0.0, month = 0.0, day = 0.0;
    int minutes = 0;  ///< minutes since the start of the day
};

std::optional<PvgisTime> parse_time(const std::string& text) {
    if (text.size() != 13 || text[8] != ':') return std::nullopt;
    for (size_t i = 0; i < text.size(); ++i) {
        if (i != 8 && std::isdigit(static_cast<unsigned char>(text[i])) == 0) return std::nullopt;
    }
    const auto digits = [&](size_t at, size_t count) { return std::stoi(text.substr(at, count)); };
    const int hour = digits(9, 2), minute = digits(11, 2);
    const int month = digits(4, 2), day = digits(6, 2);
    if (hour > 23 || minute > 59 || month < 1 || month > 12 || day < 1 || day > 31)
        return std::nullopt;
    return PvgisTime{static_cast<double>(digits(0, 4)),
                     static_cast<double>(month),
                     static_cast<double>(day),
                     60 * hour + minute};
}

void refuse_plane_of_array(WeatherContent& content, const std::string& where, bool has_in_plane) {
    content.problems.push_back(
        {where,
         fmt::format("has no column '{}'", kDirectNormalName),
         has_in_plane ? fmt::format("{} is the direct irradiance on an inclined plane", kInPlane)
                      : "the direct normal irradiance is needed",
         "download PVGIS's typical year (TMY), which has it"});
}

/// A row before the rule for the times is known.
struct PvgisRow {
    std::string time;
    WeatherCells cells;
    std::string place;
};

/// Adds the rows. With an offset in hours, values apply to the moment that much later.
void add_rows(WeatherContent& content,
              const std::vector<PvgisRow>& rows,
              std::optional<double> offset) {
    bool has_full_hours = true;
    for (const PvgisRow& row : rows) {
        const auto time = parse_time(row.time);
        has_full_hours = has_full_hours && time && time->minutes % 60 == 0;
    }
    const bool begins = has_full_hours && !offset;
    content.stamp = begins ? TimeStamp::start : TimeStamp::middle;
    if (begins) {
        content.notes.push_back(
            "PVGIS gives full hours without an 'Irradiance Time Offset': rows are read as the "
            "begin of an hour; for others see --weather-time");
    }
    for (const PvgisRow& row : rows) {
        const auto time = parse_time(row.time);
        const auto text =
            time ? time_of_day(time->year, time->month, time->day, time->minutes, "+00:00")
                 : std::nullopt;
        if (!text) {
            content.problems.push_back({row.place,
                                        fmt::format("'{}' is not a time", row.time),
                                        "PVGIS writes YYYYMMDD:HHMM in UTC",
                                        "correct or remove the row"});
            continue;
        }
        const double later = time->minutes + 60.0 * offset.value_or(0.0);
        add_row(content,
                *time_of_day(time->year, time->month, time->day, later, "+00:00"),
                row.cells,
                row.place);
    }
}

void read_csv_rows(const std::string& text, const std::string& file, WeatherContent& content) {
    const std::vector<std::string> lines = split_lines(text, text.size());
    std::optional<double> latitude, longitude, offset;
    std::vector<PvgisRow> rows;
    std::optional<size_t> dni, temperature;
    bool in_rows = false;
    for (size_t i = 0; i < lines.size(); ++i) {
        const std::string place = fmt::format("{}:{}", file, i + 1);
        const std::vector<std::string> cells = cells_between_commas(lines[i]);
        const std::string first = cells.empty() ? "" : cells[0];
        if (in_rows) {
            // A text about the columns follows the rows, after an empty line.
            if (first.empty()) break;
            if (std::isdigit(static_cast<unsigned char>(first[0])) == 0) break;
            rows.push_back(
                {first,
                 {*dni < cells.size() ? cells[*dni] : "no cell", text_in_cell(cells, temperature)},
                 place});
        } else if (first == "time" || first == "time(UTC)") {
            const auto found = std::ranges::find(cells, kDirectNormalName);
            if (found == cells.end()) {
                const bool has_in_plane = std::ranges::find(cells, kInPlane) != cells.end();
                refuse_plane_of_array(content, place, has_in_plane);
                return;
            }
            dni = static_cast<size_t>(found - cells.begin());
            const auto warmth = std::ranges::find(cells, kTemperatureName);
            if (warmth != cells.end()) temperature = static_cast<size_t>(warmth - cells.begin());
            in_rows = true;
        } else {
            const size_t colon = lines[i].find(':');
            if (colon == std::string::npos) continue;
            const auto value = parse_number(plain_word(lines[i].substr(colon + 1)));
            if (lines[i].starts_with("Latitude")) latitude = value;
            if (lines[i].starts_with("Longitude")) longitude = value;
            if (lines[i].starts_with("Irradiance Time Offset")) offset = value;
        }
    }
    if (!in_rows) {
        content.problems.push_back({file,
                                    "has no line that begins with time(UTC) or time",
                                    "the rows of PVGIS's CSV follow it",
                                    "take the complete file"});
    }
    if (latitude && longitude) content.site = GeodeticPosition{*latitude, *longitude, 0.0};
    add_rows(content, rows, offset);
}

void read_json_rows(const nlohmann::json& root, const std::string& file, WeatherContent& content) {
    const nlohmann::json& outputs = root.at("outputs");
    const char* name = outputs.contains("tmy_hourly") ? "tmy_hourly" : "hourly";
    if (!outputs.contains(name) || !outputs.at(name).is_array()) {
        content.problems.push_back({file + ": outputs",
                                    "has neither 'tmy_hourly' nor 'hourly'",
                                    "they hold PVGIS's rows",
                                    "download hourly data or a typical year (TMY)"});
        return;
    }
    std::optional<double> offset;
    const nlohmann::json location =
        root.value(nlohmann::json::json_pointer("/inputs/location"), nlohmann::json::object());
    if (location.contains("latitude") && location.contains("longitude")) {
        content.site = GeodeticPosition{
            location.at("latitude").get<double>(), location.at("longitude").get<double>(), 0.0};
    }
    if (location.contains("irradiance_time_offset"))
        offset = location.at("irradiance_time_offset").get<double>();
    std::vector<PvgisRow> rows;
    for (const nlohmann::json& row : outputs.at(name)) {
        const std::string place = fmt::format("{}: outputs/{}/{}", file, name, rows.size());
        if (!row.contains(kDirectNormalName)) {
            refuse_plane_of_array(content, place, row.contains(kInPlane));
            return;
        }
        const char* time = row.contains("time(UTC)") ? "time(UTC)" : "time";
        const auto cell = [&](const char* column) {
            const bool is_null = !row.contains(column) || row.at(column).is_null();
            return is_null ? std::string() : row.at(column).dump();
        };
        rows.push_back({row.at(time).get<std::string>(),
                        {cell(kDirectNormalName), cell(kTemperatureName)},
                        place});
    }
    add_rows(content, rows, offset);
}

}  // namespace

bool is_pvgis(const std::string& text) {
    if (text.starts_with(kFirstLine)) return true;
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
}

WeatherContent read_pvgis(const std::string& text, const std::string& file) {
    WeatherContent content;
    content.format = "PVGIS";
    content.is_typical = true;
    if (text.starts_with(kFirstLine)) {
        read_csv_rows(text, file, content);
        return content;
    }
    try {
        read_json_rows(nlohmann::json::parse(text), file, content);
    } catch (const nlohmann::json::exception& error) {
        content.problems.push_back({file,
                                    "is not a JSON file of PVGIS",
                                    error.what(),
                                    "take the complete file; of other weather data make a CSV file "
                                    "with the columns time and dni_w_m2"});
    }
    return content;
}

}  // namespace helioray
