// SPDX-License-Identifier: MIT
// Reads CSV files of SAM and of the NSRDB: labels of the site, the site, names of the columns,
// rows.
#include "raytracer/studies/annual/weather/weather_formats.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

const std::vector<std::string> kLatitude{"latitude", "lat"};
const std::vector<std::string> kLongitude{"longitude", "lon", "long", "lng"};
const std::vector<std::string> kZone{"time zone", "timezone", "tz"};
const std::vector<std::string> kDirectNormal{
    "dni", "beam", "beam normal", "direct normal", "direct normal irradiance", "gb(n)"};

bool has_one_of(const std::vector<std::string>& cells, const std::vector<std::string>& names) {
    return std::ranges::any_of(cells, [&](const std::string& cell) {
        return std::ranges::find(names, plain_word(cell)) != names.end();
    });
}

/// Indices of the columns of a row.
struct SamColumns {
    size_t year = 0, month = 0, day = 0, hour = 0, dni = 0;
    std::optional<size_t> minute, dry_bulb;
};

std::optional<SamColumns> find_columns(const CsvTable& table, WeatherContent& content) {
    const CsvRow& header = table.rows[2];
    const size_t before = content.problems.size();
    const auto required = [&](const std::vector<std::string>& names, const char* name) {
        const auto found =
            find_column(table, header, names, &names == &kDirectNormal, content.problems);
        if (!found) {
            content.problems.push_back({fmt::format("{}:{}", table.file, header.line),
                                        fmt::format("there is no column '{}'", name),
                                        fmt::format("the file is a {}", content.format),
                                        "the third line has the names of the columns; add it"});
        }
        return found.value_or(0);
    };
    SamColumns columns;
    columns.year = required({"year", "yr"}, "Year");
    columns.month = required({"month", "mo"}, "Month");
    columns.day = required({"day", "dy"}, "Day");
    columns.hour = required({"hour", "hr"}, "Hour");
    columns.dni = required(kDirectNormal, "DNI");
    columns.minute = find_column(table, header, {"minute", "min"}, false, content.problems);
    columns.dry_bulb = find_temperature(header);
    if (content.problems.size() > before) return std::nullopt;
    return columns;
}

/// Returns the offset from UTC and sets the site.
std::string read_site(const CsvTable& table, WeatherContent& content) {
    const CsvRow &labels = table.rows[0], &values = table.rows[1];
    const auto value = [&](const std::vector<std::string>& names, double limit) {
        const auto column = find_column(table, labels, names, false, content.problems);
        return column ? number_in_cell(values.cells, *column, -limit, limit) : std::nullopt;
    };
    const auto latitude = value(kLatitude, 90.0), longitude = value(kLongitude, 180.0),
               zone = value(kZone, 14.0);
    return take_site(content,
                     latitude,
                     longitude,
                     zone,
                     fmt::format("{}:{}", table.file, values.line),
                     "write the columns Latitude, Longitude and Time Zone (hours, east positive) "
                     "of the first line");
}

}  // namespace

bool is_sam_csv(const std::string& text) {
    const std::vector<std::string> lines = split_lines(text, 1);
    if (lines.empty()) return false;
    std::string line = lines[0];
    std::ranges::replace(line, ';', ',');
    std::ranges::replace(line, '\t', ',');
    std::erase(line, '"');
    const std::vector<std::string> cells = cells_between_commas(line);
    return has_one_of(cells, kLatitude) && has_one_of(cells, kLongitude);
}

WeatherContent read_sam_csv(const std::string& text, const std::string& file) {
    WeatherContent content;
    content.format = "SAM CSV";
    content.is_typical = true;
    const CsvTable table = parse_csv(text, file);
    if (table.rows.size() < 4) {
        content.problems.push_back(
            {file,
             "has no rows",
             "in SAM's CSV they follow two lines with the site and one with names of columns",
             "take the complete file"});
        return content;
    }
    const auto is_nsrdb = [](const std::string& cell) { return plain_word(cell) == "nsrdb"; };
    if (std::ranges::any_of(table.rows[1].cells, is_nsrdb)) content.format = "NSRDB CSV";
    const std::string offset = read_site(table, content);
    const auto columns = find_columns(table, content);
    if (!columns) return content;
    content.stamp = columns->minute ? TimeStamp::middle : TimeStamp::start;
    content.has_fixed_stamp = !columns->minute;

    for (size_t i = 3; i < table.rows.size(); ++i) {
        const CsvRow& row = table.rows[i];
        const std::string place = fmt::format("{}:{}", file, row.line);
        const auto cell = [&](size_t column, double low, double high) {
            return number_in_cell(row.cells, column, low, high);
        };
        const auto year = cell(columns->year, 1, 9998), month = cell(columns->month, 1, 12),
                   day = cell(columns->day, 1, 31), hour = cell(columns->hour, 0, 23);
        const auto minute =
            columns->minute ? cell(*columns->minute, 0, 59.999) : std::optional<double>(0.0);
        const auto time = year && month && day && hour && minute
                              ? time_of_day(*year, *month, *day, 60.0 * *hour + *minute, offset)
                              : std::nullopt;
        if (!time || columns->dni >= row.cells.size()) {
            content.problems.push_back(
                {place,
                 !time ? "has no date with an hour from 0 to 23 (and a minute from 0 to 59)"
                       : "has no cell of the column DNI",
                 fmt::format("the file is a {}", content.format),
                 "correct or remove the row"});
            continue;
        }
        add_row(content,
                *time,
                {row.cells[columns->dni], text_in_cell(row.cells, columns->dry_bulb)},
                place);
    }
    return content;
}

}  // namespace helioray
