// SPDX-License-Identifier: MIT
// Reads TMY3 files of NREL: a line about the site, names of the columns, hours.
#include "raytracer/studies/annual/weather/weather_formats.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

constexpr std::string_view kDate = "date (mm/dd/yyyy)";
constexpr std::string_view kTime = "time (hh:mm)";

/// Returns the numbers of a text between separators; no value unless there are `count` of them.
std::optional<std::vector<double>> numbers_between(const std::string& text,
                                                   char separator,
                                                   size_t count) {
    std::string cells = text;
    std::ranges::replace(cells, separator, ',');
    std::vector<double> numbers;
    for (const std::string& cell : cells_between_commas(cells)) {
        const auto value = parse_number(cell);
        if (!value) return std::nullopt;
        numbers.push_back(*value);
    }
    if (numbers.size() != count) return std::nullopt;
    return numbers;
}

/// Returns the time of a row at the end of its hour.
std::optional<std::string> end_of_hour(const std::string& date,
                                       const std::string& time,
                                       const std::string& offset) {
    const auto day = numbers_between(date, '/', 3), clock = numbers_between(time, ':', 2);
    if (!day || !clock) return std::nullopt;
    const double month = (*day)[0], of_month = (*day)[1], hour = (*clock)[0], minute = (*clock)[1];
    const double minutes = 60.0 * hour + minute;
    if (month < 1.0 || month > 12.0 || of_month < 1.0 || of_month > 31.0) return std::nullopt;
    if (hour < 0.0 || minute < 0.0 || minute > 59.0 || minutes > 1440.0) return std::nullopt;
    return time_of_day((*day)[2], month, of_month, minutes, offset);
}

}  // namespace

bool is_tmy3(const std::string& text) {
    const std::vector<std::string> lines = split_lines(text, 2);
    if (lines.size() < 2) return false;
    std::string header = plain_word(lines[1]);
    std::erase(header, '"');
    return header.starts_with(kDate);
}

WeatherContent read_tmy3(const std::string& text, const std::string& file) {
    WeatherContent content;
    content.format = "TMY3";
    content.stamp = TimeStamp::end;
    content.has_fixed_stamp = content.is_typical = true;
    const CsvTable table = parse_csv(text, file);
    // The first line has station, name, state, zone, latitude, longitude, elevation.
    const std::vector<std::string>& site = table.rows[0].cells;
    const auto zone = number_in_cell(site, 3, -14.0, 14.0),
               latitude = number_in_cell(site, 4, -90.0, 90.0),
               longitude = number_in_cell(site, 5, -180.0, 180.0);
    const std::string offset =
        take_site(content,
                  latitude,
                  longitude,
                  zone,
                  file + ":1",
                  "write station,name,state,zone,latitude,longitude,elevation");
    if (!content.problems.empty()) return content;
    const CsvRow& header = table.rows[1];
    const auto dni = find_column(table, header, {"dni"}, true, content.problems);
    const auto date = find_column(table, header, {std::string(kDate)}, false, content.problems);
    const auto time = find_column(table, header, {std::string(kTime)}, false, content.problems);
    const auto dry_bulb = find_temperature(header);
    if (!dni || !date || !time) {
        content.problems.push_back({fmt::format("{}:{}", file, header.line),
                                    "has no column 'Time (HH:MM)' or 'DNI (W/m^2)'",
                                    "the file is a TMY3 file",
                                    "take the complete file"});
        return content;
    }
    for (size_t i = 2; i < table.rows.size(); ++i) {
        const CsvRow& row = table.rows[i];
        const std::string place = fmt::format("{}:{}", file, row.line);
        const bool has_cells = std::max({*dni, *date, *time}) < row.cells.size();
        const auto end =
            has_cells ? end_of_hour(row.cells[*date], row.cells[*time], offset) : std::nullopt;
        if (!end) {
            content.problems.push_back(
                {place,
                 "has no date (MM/DD/YYYY), hour from 01:00 to 24:00 and DNI",
                 "the file is a TMY3 file",
                 "correct or remove the row"});
            continue;
        }
        add_row(content, *end, {row.cells[*dni], text_in_cell(row.cells, dry_bulb)}, place);
    }
    return content;
}

}  // namespace helioray
