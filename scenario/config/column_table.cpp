// SPDX-License-Identifier: MIT
// Checks of columns and cells.
#include "scenario/config/column_table.h"

#include "scenario/config/table_columns.h"
#include "scenario/files/error.h"
#include "scenario/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

namespace {

/// Columns in metres whose names do not say so.
bool is_in_metres(const std::string& column) {
    return column == "east" || column == "north" || column == "up";
}

/// The unit of a column of ours; empty for texts and plain numbers.
std::string unit_of(const std::string& column) {
    return is_in_metres(column) ? "m" : split_header(column).unit.value_or("");
}

bool is_no_unit(const std::string& unit) {
    return unit.empty() || unit == "-" || unit == "1";
}

}  // namespace

ColumnTable::ColumnTable(std::filesystem::path file,
                         const std::vector<std::string>& required,
                         const std::vector<std::string>& optional,
                         std::vector<Problem>& problems,
                         OtherColumns others)
    : file_(std::move(file)), problems_(problems), table_(read_csv(file_), problems) {
    const std::string header =
        required.empty() ? fmt::format("a header of some of {}", fmt::join(optional, ", "))
                         : fmt::format("the header '{}'", fmt::join(required, ","));
    if (table_.starts_with_numbers()) {
        problems_.push_back({table_.where(table_.row(0), 0),
                             "the first line has numbers only",
                             "columns are known by their names",
                             "begin with " + header});
        return;
    }
    if (table_.num_rows() == 0 && problems_.empty()) {
        problems_.push_back(
            {file_.string(), "has no rows", "", "begin with " + header + ", then a row per line"});
        return;
    }
    std::vector<std::string> known = required;
    known.insert(known.end(), optional.begin(), optional.end());
    const size_t before = problems_.size();
    find_columns(known, others);
    // A header that is refused may be the one that seems to be missing.
    if (problems_.size() != before) return;
    for (const std::string& name : required) {
        if (has(name)) continue;
        problems_.push_back({fmt::format("{}:{}", file_.string(), table_.header_line()),
                             fmt::format("there is no column '{}'", name),
                             "",
                             "add it"});
    }
}

void ColumnTable::find_columns(const std::vector<std::string>& known, OtherColumns others) {
    const std::string at = fmt::format("{}:{}", file_.string(), table_.header_line());
    for (const TableHeader& header : table_.headers()) {
        std::optional<std::string> column;
        Column found{header};
        bool is_own_name = false;
        for (const std::string& name : known) {
            if (split_header(name).name != header.name) continue;
            column = name;
            is_own_name = true;
        }
        // A name of ours without its unit is one of the names that other programs write.
        bool has_synonym = false;
        const std::vector<ColumnSynonym>& synonyms = column_synonyms();
        for (size_t i = 0; i < synonyms.size() && !has_synonym; ++i) {
            const std::string name = synonyms[i].column;
            if (header.name != synonyms[i].name || column.value_or(name) != name ||
                std::ranges::find(known, name) == known.end()) {
                continue;
            }
            has_synonym = true;
            if (is_own_name && header.unit) continue;
            column = name;
            found.rank = i + 1;
            if (synonyms[i].from_zenith) found.offset = 90.0;
        }
        if (!column) {
            const bool is_misspelt = closest(header.text, known).has_value();
            if (others == OtherColumns::judge && (is_misspelt || could_decide(header.name))) {
                problems_.push_back({at,
                                     fmt::format("unknown column '{}'", header.text),
                                     is_misspelt ? "" : "it could decide the result",
                                     suggest(header.text, known)});
            } else {
                others_.push_back(header.text);
            }
            continue;
        }
        const std::string unit = unit_of(*column);
        if (header.unit && !is_no_unit(*header.unit)) {
            const auto factor = unit_factor(*header.unit, unit);
            if (!factor) {
                problems_.push_back(
                    {at,
                     fmt::format("'{}' is no unit of column '{}'", *header.unit, header.name),
                     "its numbers would mean something else",
                     unit.empty() ? "write the name alone"
                                  : fmt::format("use the column '{}', or another unit of the "
                                                "same kind",
                                                *column)});
                continue;
            }
            found.factor = *factor;
        } else if (is_own_name && !has_synonym && !unit.empty() && !is_in_metres(*column)) {
            problems_.push_back({at,
                                 fmt::format("column '{}' has no unit", header.text),
                                 "its numbers would be taken for another unit",
                                 fmt::format("name it '{}'", *column)});
            continue;
        }
        if (found.offset != 0.0) found.factor = -found.factor;
        add(*column, std::move(found));
    }
}

void ColumnTable::add(const std::string& name, Column column) {
    const auto before = columns_.find(name);
    if (before == columns_.end()) {
        columns_.emplace(name, std::move(column));
        return;
    }
    if (before->second.rank == column.rank) {
        problems_.push_back(
            {fmt::format("{}:{}", file_.string(), table_.header_line()),
             fmt::format("column '{}' is given twice", name),
             before->second.header.text == column.header.text
                 ? ""
                 : fmt::format("as '{}' and '{}'", before->second.header.text, column.header.text),
             "keep one of the two"});
        return;
    }
    if (column.rank < before->second.rank) std::swap(before->second, column);
    others_.push_back(column.header.text);
}

std::optional<std::string> ColumnTable::warning() const {
    if (others_.empty()) return std::nullopt;
    return fmt::format(
        "{}: columns that are not used: {}", file_.string(), fmt::join(others_, ", "));
}

const std::string& ColumnTable::text(size_t row, const std::string& column) const {
    return table_.text(row, columns_.at(column).header.cell);
}

bool ColumnTable::is_missing(size_t row, const std::string& column) const {
    return is_missing_cell(text(row, column));
}

std::optional<double> ColumnTable::value(size_t row, const std::string& column) const {
    const Column& found = columns_.at(column);
    const auto value = table_.number(text(row, column));
    if (!value || (found.factor == 1.0 && found.offset == 0.0)) return value;
    return found.offset + found.factor * *value;
}

std::string ColumnTable::plain_text(size_t row, const std::string& column) const {
    const auto number = value(row, column);
    return number ? fmt::format("{}", *number) : text(row, column);
}

std::optional<double> ColumnTable::number(size_t row,
                                          const std::string& column,
                                          double low,
                                          double high) const {
    const std::string& cell = text(row, column);
    const Column& found = columns_.at(column);
    const auto value = this->value(row, column);
    if (value && *value >= low && *value <= high) return value;
    const std::string unit =
        found.factor == 1.0 ? "" : fmt::format(", in {}", found.header.unit.value_or("degrees"));
    problems_.push_back({place(row, column),
                         fmt::format("'{}'{} is not a number from {} to {}", cell, unit, low, high),
                         "",
                         value ? "correct it" : table_.number_advice(cell)});
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

std::optional<bool> ColumnTable::flag(size_t row, const std::string& column) const {
    const auto value = parse_switch(text(row, column));
    if (value) return value;
    problems_.push_back({place(row, column),
                         fmt::format("'{}' is neither true nor false", text(row, column)),
                         "",
                         "write true or false"});
    return std::nullopt;
}

std::string ColumnTable::place(size_t row, const std::string& column) const {
    const std::string at = fmt::format("{}:{}", file_.string(), line(row));
    return column.empty() ? at : fmt::format("{}: {}", at, column);
}

}  // namespace helioray
