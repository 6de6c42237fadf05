// SPDX-License-Identifier: MIT
// Splitting of CSV files.
#include "scenario/config/csv_rows.h"

#include "scenario/config/iso_time.h"
#include "scenario/config/section.h"
#include "scenario/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

namespace helioray {

namespace {

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    size_t begin = 0;
    for (size_t comma; (comma = line.find(',', begin)) != std::string::npos; begin = comma + 1) {
        cells.push_back(trimmed(line.substr(begin, comma - begin)));
    }
    cells.push_back(trimmed(line.substr(begin)));
    return cells;
}

}  // namespace

std::vector<CsvRow> read_csv_rows(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream)
        throw InputError(
            Problem{file.string(), "cannot be read", "", "check path and permissions"});
    std::vector<CsvRow> rows;
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
        line = trimmed(line.substr(0, line.find('#')));
        if (!line.empty()) rows.push_back({number, cells_of(line)});
    }
    return rows;
}

CsvTable::CsvTable(std::filesystem::path file,
                   const std::vector<std::string>& required,
                   const std::vector<std::string>& optional,
                   std::vector<Problem>& problems)
    : file_(std::move(file)), problems_(problems) {
    std::vector<CsvRow> rows = read_csv_rows(file_);
    if (rows.size() < 2) {
        problems_.push_back({file_.string(),
                             "has no rows",
                             "",
                             fmt::format("begin with the header '{}', then a row per line",
                                         fmt::join(required, ","))});
        return;
    }

    // The header.
    std::vector<std::string> known = required;
    known.insert(known.end(), optional.begin(), optional.end());
    const CsvRow& header = rows.front();
    const std::string at = fmt::format("{}:{}", file_.string(), header.line);
    for (size_t i = 0; i < header.cells.size(); ++i) {
        const std::string& name = header.cells[i];
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            problems_.push_back(
                {at, fmt::format("unknown column '{}'", name), "", suggest(name, known)});
        } else if (!columns_.emplace(name, i).second) {
            problems_.push_back(
                {at, fmt::format("column '{}' is given twice", name), "", "keep one of the two"});
        }
    }
    for (const std::string& name : required) {
        if (has(name)) continue;
        problems_.push_back({at, fmt::format("there is no column '{}'", name), "", "add it"});
    }

    for (size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].cells.size() == header.cells.size()) {
            rows_.push_back(std::move(rows[i]));
            continue;
        }
        problems_.push_back(
            {fmt::format("{}:{}", file_.string(), rows[i].line),
             fmt::format("has {} cells, the header {}", rows[i].cells.size(), header.cells.size()),
             "",
             "write one cell per column"});
    }
}

const std::string& CsvTable::text(size_t row, const std::string& column) const {
    return rows_.at(row).cells.at(columns_.at(column));
}

std::optional<double> CsvTable::number(size_t row,
                                       const std::string& column,
                                       double low,
                                       double high) const {
    const std::string& cell = text(row, column);
    const auto value = parse_number(cell);
    if (value && *value >= low && *value <= high) return value;
    problems_.push_back({place(row, column),
                         fmt::format("'{}' is not a number from {} to {}", cell, low, high),
                         "",
                         "correct it"});
    return std::nullopt;
}

std::optional<std::string> CsvTable::time(size_t row, const std::string& column) const {
    const IsoTime time = parse_iso_time(text(row, column));
    if (time.error.empty()) return time.normalised;
    problems_.push_back({place(row, column),
                         fmt::format("'{}' {}", text(row, column), time.error),
                         "",
                         "write for example 2026-06-21T12:00:00+02:00"});
    return std::nullopt;
}

std::string CsvTable::place(size_t row, const std::string& column) const {
    const std::string at = fmt::format("{}:{}", file_.string(), rows_.at(row).line);
    return column.empty() ? at : fmt::format("{}: {}", at, column);
}

}  // namespace helioray
