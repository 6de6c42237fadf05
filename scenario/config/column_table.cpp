// SPDX-License-Identifier: MIT
// Checks of columns and cells.
#include "scenario/config/column_table.h"

#include "scenario/config/section.h"
#include "scenario/files/error.h"
#include "scenario/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

ColumnTable::ColumnTable(std::filesystem::path file,
                         const std::vector<std::string>& required,
                         const std::vector<std::string>& optional,
                         std::vector<Problem>& problems,
                         OtherColumns others)
    : file_(std::move(file)), problems_(problems) {
    std::vector<CsvRow> rows = read_commented_csv(file_).rows;
    if (rows.size() < 2) {
        const std::string header =
            required.empty() ? fmt::format("a header of some of {}", fmt::join(optional, ", "))
                             : fmt::format("the header '{}'", fmt::join(required, ","));
        problems_.push_back(
            {file_.string(), "has no rows", "", "begin with " + header + ", then a row per line"});
        return;
    }

    // The header.
    std::vector<std::string> known = required;
    known.insert(known.end(), optional.begin(), optional.end());
    const CsvRow& header = rows.front();
    const std::string at = fmt::format("{}:{}", file_.string(), header.line);
    for (size_t i = 0; i < header.cells.size(); ++i) {
        const std::string& name = header.cells[i];
        const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
        if (!is_known && others == OtherColumns::ignore) {
            others_.push_back(name);
        } else if (!is_known) {
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

const std::string& ColumnTable::text(size_t row, const std::string& column) const {
    return rows_.at(row).cells.at(columns_.at(column));
}

std::optional<double> ColumnTable::number(size_t row,
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

std::optional<std::string> ColumnTable::time(size_t row, const std::string& column) const {
    const IsoTime time = parse_iso_time(text(row, column));
    if (time.error.empty()) return time.normalised;
    problems_.push_back({place(row, column),
                         fmt::format("'{}' {}", text(row, column), time.error),
                         "",
                         "write for example 2026-06-21T12:00:00+02:00"});
    return std::nullopt;
}

std::string ColumnTable::place(size_t row, const std::string& column) const {
    const std::string at = fmt::format("{}:{}", file_.string(), rows_.at(row).line);
    return column.empty() ? at : fmt::format("{}: {}", at, column);
}

}  // namespace helioray
