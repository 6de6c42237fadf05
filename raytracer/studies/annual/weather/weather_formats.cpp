// SPDX-License-Identifier: MIT
// Parses cells, times and names of weather files, and recognises formats that are not supported.
#include "raytracer/studies/annual/weather/weather_formats.h"

#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"
#include "scenario/inputs/raw_table.h"
#include "scenario/inputs/table_columns.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string_view>

namespace helioray {

namespace {

constexpr const char* kMakeCsv =
    "make a CSV file with the columns time (ISO 8601 with offset from UTC) and dni_w_m2";

/// Returns true for the first line of a TMY2 file: " 23161 DAGGETT   CA  -8 N 34 52 W 116 47 588".
bool is_tmy2_header(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.size() < 10 || words[0].size() != 5 || !parse_number(words[0])) return false;
    const auto from_end = [&](size_t index) { return words[words.size() - index]; };
    return (from_end(7) == "N" || from_end(7) == "S") && (from_end(4) == "E" || from_end(4) == "W");
}

}  // namespace

std::string plain_word(const std::string& text) {
    std::string word = trimmed(text);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    return word;
}

std::vector<std::string> split_lines(const std::string& text, size_t most) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size() && lines.size() < most;) {
        size_t end = text.find_first_of("\r\n", at);
        if (end == std::string::npos) end = text.size();
        lines.push_back(text.substr(at, end - at));
        const bool is_two = text.compare(end, 2, "\r\n") == 0;
        at = end + (is_two ? 2 : 1);
    }
    return lines;
}

std::vector<std::string> cells_between_commas(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(trimmed(cell));
    return cells;
}

std::optional<double> number_in_cell(const std::vector<std::string>& cells,
                                     size_t index,
                                     double low,
                                     double high) {
    if (index >= cells.size()) return std::nullopt;
    const auto value = parse_number(cells[index]);
    return value && *value >= low && *value <= high ? value : std::nullopt;
}

std::string text_in_cell(const std::vector<std::string>& cells, std::optional<size_t> column) {
    return column && *column < cells.size() ? cells[*column] : "";
}

std::string offset_text(double hours) {
    const auto minutes = static_cast<int>(std::lround(std::abs(hours) * 60.0));
    return fmt::format("{}{:02}:{:02}", hours < 0.0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::optional<std::string> time_of_day(
    double year, double month, double day, double minutes, const std::string& offset) {
    const auto whole = [](double value) { return static_cast<int>(value); };
    const std::chrono::year_month_day date{std::chrono::year(whole(year)),
                                           std::chrono::month(static_cast<unsigned>(whole(month))),
                                           std::chrono::day(static_cast<unsigned>(whole(day)))};
    if (year < 1.0 || year > 9998.0 || !date.ok()) return std::nullopt;
    const std::string midnight =
        fmt::format("{:04}-{:02}-{:02}T00:00:00{}", whole(year), whole(month), whole(day), offset);
    const auto later = static_cast<std::int64_t>(std::llround(minutes * 60000.0));
    return iso_time_at(milliseconds_of(midnight) + later, midnight);
}

bool is_missing_mark(const std::string& cell) {
    const std::string text = trimmed(cell);
    if (is_missing_cell(text)) return true;
    const auto value = parse_number(text);
    constexpr std::array kMarks{-99.0, -999.0, -9999.0, -9900.0, -99999.0};
    return value && std::ranges::find(kMarks, *value) != kMarks.end();
}

void add_row(WeatherContent& content,
             const std::string& time,
             const WeatherCells& cells,
             const std::string& place,
             const std::string& column) {
    const std::string& cell = cells.dni;
    std::optional<double> dni;
    if (!is_missing_mark(cell)) {
        dni = parse_number(cell);
        if (!dni) {
            content.problems.push_back(
                {column.empty() ? place : place + ": " + column,
                 fmt::format("the direct normal irradiance '{}' is not a number", cell),
                 "",
                 cell.find(',') != std::string::npos
                     ? "write a decimal point, not a comma"
                     : "correct it; where there is no value, leave the cell empty"});
            return;
        }
    }
    std::optional<double> temperature = parse_number(cells.temperature);
    if (!temperature || is_missing_mark(cells.temperature) || !kTemperatures.contains(*temperature))
        temperature.reset();
    content.rows.push_back({time, dni, place, temperature});
}

std::string take_site(WeatherContent& content,
                      std::optional<double> latitude,
                      std::optional<double> longitude,
                      std::optional<double> zone,
                      const std::string& place,
                      const std::string& advice) {
    if (!latitude || !longitude || !zone) {
        content.problems.push_back({place,
                                    "has no latitude, longitude and time zone",
                                    "times are in local standard time",
                                    advice});
        return "+00:00";
    }
    content.site = GeodeticPosition{*latitude, *longitude, 0.0};
    return offset_text(*zone);
}

std::optional<size_t> find_column(const CsvTable& table,
                                  const CsvRow& header,
                                  const std::vector<std::string>& names,
                                  bool is_irradiance,
                                  std::vector<Problem>& problems) {
    for (size_t i = 0; i < header.cells.size(); ++i) {
        std::string name = plain_word(header.cells[i]), unit;
        const size_t bracket = name.find_first_of("([");
        const bool has_exact_name = std::ranges::find(names, name) != names.end();
        if (!has_exact_name && bracket != std::string::npos && bracket > 0) {
            unit = name.substr(bracket + 1, name.find_first_of(")]", bracket) - bracket - 1);
            name = plain_word(name.substr(0, bracket));
        }
        if (std::ranges::find(names, name) == names.end()) continue;
        constexpr std::array<std::string_view, 7> kUnits{
            "", "w/m2", "w/m^2", "w/m²", "wh/m2", "wh/m^2", "wh/m²"};
        if (is_irradiance && std::ranges::find(kUnits, unit) == kUnits.end()) {
            problems.push_back(
                {table.where(header, i),
                 fmt::format("the unit of column '{}' is '{}'", header.cells[i], unit),
                 "irradiances are in W/m2",
                 "convert the column and its header"});
        }
        return i;
    }
    return std::nullopt;
}

std::optional<size_t> find_temperature(const CsvRow& header) {
    for (size_t i = 0; i < header.cells.size(); ++i) {
        const auto match = match_column(split_header(header.cells[i]), {"temperature_c"});
        if (match && match->fault == ColumnMatch::Fault::none && match->offset == 0.0) return i;
    }
    return std::nullopt;
}

void refuse_other_weather_formats(const std::string& text, const std::string& file) {
    struct Mark {
        std::string_view word;  ///< in lower case, from the first lines
        std::string_view format;
        std::string_view advice;
    };
    constexpr std::array kMarks{
        Mark{"observationtime(lst)", "SolarAnywhere's CSV", ""},
        Mark{"observationtime(gmt)", "SolarAnywhere's CSV", ""},
        Mark{"periodend,", "Solcast's CSV", "; its column PeriodEnd is the end of the interval"},
        Mark{"period_end,", "Solcast's CSV", "; its column period_end is the end of the interval"},
        Mark{"-begin header-", "NASA POWER's CSV", ""},
        Mark{"observation period", "CAMS' CSV (SoDa)", "; divide Wh/m2 by the interval in hours"},
        Mark{"solargis", "Solargis' CSV", "; see its header for what the times are"},
        Mark{"meteonorm", "Meteonorm's file", "; or export TMY3 or EPW from Meteonorm"},
    };
    const std::vector<std::string> lines = split_lines(text, 60);
    std::string beginning;
    for (const std::string& line : lines) beginning += plain_word(line) + "\n";
    const auto refuse = [&](std::string_view format, std::string_view advice) {
        throw InputError(Problem{file,
                                 fmt::format("looks like {}, which is not read", format),
                                 "CSV with time and dni_w_m2, SAM's CSV, NSRDB, TMY3, PVGIS, EPW "
                                 "and SolarTherm's .motab are read",
                                 fmt::format("{}{}", kMakeCsv, advice)});
    };
    if (!lines.empty() && is_tmy2_header(lines[0]))
        refuse("a TMY2 file", "; or use the TMY3 or EPW file of the same station");
    // A header of this program's own table may have any other column.
    for (const std::string& line : lines) {
        if (plain_word(line).find("dni_w_m2") != std::string::npos) return;
    }
    for (const Mark& mark : kMarks) {
        if (beginning.find(mark.word) != std::string::npos) refuse(mark.format, mark.advice);
    }
}

}  // namespace helioray
