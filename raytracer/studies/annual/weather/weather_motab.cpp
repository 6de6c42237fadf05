// SPDX-License-Identifier: MIT
// Reads weather files of SolarTherm: tables of Modelica with comments that describe them.
#include "raytracer/studies/annual/weather/weather_formats.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace helioray {

namespace {

/// Returns the index of a word; no value if it is missing.
std::optional<size_t> find_index(const std::vector<std::string>& words, const std::string& word) {
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) return std::nullopt;
    return static_cast<size_t>(found - words.begin());
}

/// Returns the cells of a comment such as "#TABLELABELS,time,ghi,dni" after its name, in lower
/// case.
std::vector<std::string> cells_of_comment(const std::string& line) {
    std::vector<std::string> cells = cells_between_commas(line);
    cells.erase(cells.begin());
    for (std::string& cell : cells) cell = plain_word(cell);
    return cells;
}

struct Comments {
    std::vector<std::string> site_labels{"name", "lat", "lon", "elev", "tzone", "tstart"};
    std::vector<std::string> site, labels, units;

    void read(const std::string& line) {
        if (line.starts_with("#METALABELS")) site_labels = cells_of_comment(line);
        if (line.starts_with("#METADATA")) site = cells_of_comment(line);
        if (line.starts_with("#TABLELABELS")) labels = cells_of_comment(line);
        if (line.starts_with("#TABLEUNITS")) units = cells_of_comment(line);
    }

    /// Returns a number of the site. Names may contain commas, so cells are counted from the end.
    std::optional<double> number(const std::string& label, double limit) const {
        const auto index = find_index(site_labels, label);
        if (!index) return std::nullopt;
        const size_t from_end = site_labels.size() - *index;
        if (from_end > site.size()) return std::nullopt;
        return number_in_cell(site, site.size() - from_end, -limit, limit);
    }
};

std::vector<std::string> cells_of_row(std::string line) {
    line = line.substr(0, line.find('#'));
    for (char& c : line) {
        if (c == ',' || c == ';') c = ' ';
    }
    std::istringstream stream(line);
    std::vector<std::string> cells;
    for (std::string cell; stream >> cell;) cells.push_back(cell);
    return cells;
}

}  // namespace

bool is_motab(const std::string& text) {
    const std::vector<std::string> lines = split_lines(text, 50);
    if (lines.empty() || !lines[0].starts_with("#1")) return false;
    return std::ranges::any_of(lines, [](const std::string& line) {
        return line.starts_with("double ") || line.starts_with("float ");
    });
}

WeatherContent read_motab(const std::string& text, const std::string& file, int year) {
    WeatherContent content;
    content.format = "SolarTherm's .motab";
    content.stamp = TimeStamp::middle;
    content.has_years = false;
    const std::vector<std::string> lines = split_lines(text, text.size());
    Comments comments;
    for (const std::string& line : lines) {
        if (line.starts_with('#')) comments.read(line);
    }
    const auto latitude = comments.number("lat", 90.0), longitude = comments.number("lon", 180.0),
               zone = comments.number("tzone", 14.0), start = comments.number("tstart", 1e9);
    const auto time = find_index(comments.labels, "time"), dni = find_index(comments.labels, "dni"),
               dry_bulb = find_index(comments.labels, "tdry");
    if (!latitude || !longitude || !zone || !start) {
        content.problems.push_back(
            {file,
             "has no line #METADATA with latitude, longitude, time zone and start",
             "its times are seconds in local standard time, so the sun is not known without them",
             "add the lines #METALABELS,name,lat,lon,elev,tzone,tstart and "
             "#METADATA,NAME,LATITUDE,LONGITUDE,ELEVATION,HOURS,SECONDS"});
    }
    if (!time || !dni) {
        content.problems.push_back({file,
                                    "has no line #TABLELABELS with the columns time and dni",
                                    "they are read",
                                    "add #TABLELABELS,time,ghi,dni,... as SolarTherm writes it"});
    }
    for (const auto& [column, unit] :
         {std::pair{time, std::string("s")}, {dni, std::string("w/m2")}}) {
        if (column && *column < comments.units.size() && comments.units[*column] != unit) {
            content.problems.push_back(
                {file + ": #TABLEUNITS",
                 fmt::format("column {} has the unit '{}'", *column + 1, comments.units[*column]),
                 "",
                 fmt::format("convert it to {}", unit == "s" ? "s" : "W/m2")});
        }
    }
    if (!content.problems.empty()) return content;

    content.site = GeodeticPosition{*latitude, *longitude, 0.0};
    const int placed = year > 0 ? year : kUsualYear;
    content.notes.push_back(fmt::format(
        "a .motab file has no year: its rows are placed in {}{}; they are read as values in the "
        "middle of their intervals, for others see --weather-time",
        placed,
        year > 0 ? "" : " (choose with --year)"));
    const std::string offset = offset_text(*zone);
    for (size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].starts_with("double ") || lines[i].starts_with("float ")) continue;
        const std::vector<std::string> cells = cells_of_row(lines[i]);
        if (cells.empty()) continue;
        const std::string place = fmt::format("{}:{}", file, i + 1);
        const auto seconds = number_in_cell(cells, *time, -1e9, 1e10);
        if (!seconds || *dni >= cells.size()) {
            content.problems.push_back({place,
                                        "has no time in seconds and direct normal irradiance",
                                        "",
                                        "correct or remove the row"});
            continue;
        }
        add_row(content,
                *time_of_day(placed, 1, 1, (*start + *seconds) / 60.0, offset),
                {cells[*dni], text_in_cell(cells, dry_bulb)},
                place);
    }
    return content;
}

}  // namespace helioray
