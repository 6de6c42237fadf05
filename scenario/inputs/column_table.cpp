// SPDX-License-Identifier: MIT
// Checks columns and cells.
#include "scenario/inputs/column_table.h"

#include "scenario/files/error.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

ColumnTable::ColumnTable(const std::filesystem::path& file,
                         const std::vector<std::string>& required,
                         const std::vector<std::string>& optional,
                         std::vector<Problem>& problems,
                         OtherColumns others)
    : ColumnTable(read_csv(file), required, optional, problems, others) {}

ColumnTable::ColumnTable(CsvTable rows,
                         const std::vector<std::string>& required,
                         const std::vector<std::string>& optional,
                         std::vector<Problem>& problems,
                         OtherColumns others)
    : file_(rows.file), problems_(problems), table_(std::move(rows), problems) {
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
    // A refused header may be the missing column under another name.
    if (problems_.size() != before) return;
    for (const std::string& name : required) {
        if (has(name)) continue;
        problems_.push_back(
            {header_place(), fmt::format("there is no column '{}'", name), "", "add it"});
    }
}

void ColumnTable::find_columns(const std::vector<std::string>& known, OtherColumns others) {
    std::vector<const TableHeader*> unknown;
    for (const TableHeader& header : table_.headers()) {
        const auto match = match_column(header, known);
        if (!match) {
            unknown.push_back(&header);
        } else if (match->fault != ColumnMatch::Fault::none) {
            refuse_unit({header, *match});
        } else {
            add({header, *match});
        }
    }
    const std::vector<std::string>& unnamed = table_.unnamed_columns();
    others_.insert(others_.end(), unnamed.begin(), unnamed.end());
    // Unknown columns are judged last, because one of them may be the missing column.
    for (const TableHeader* header : unknown) judge_other(*header, known, others);
}

void ColumnTable::judge_other(const TableHeader& header,
                              const std::vector<std::string>& known,
                              OtherColumns others) {
    const bool is_misspelt = closest(header.text, known).has_value();
    const bool may_be_missing = std::ranges::any_of(known, [&](const std::string& column) {
        return !has(column) && may_mean(header.text, column);
    });
    const bool decides = is_misspelt || may_be_missing || could_decide(header.text);
    if (others == OtherColumns::warn || !decides) {
        others_.push_back(header.text);
        return;
    }
    problems_.push_back({header_place(),
                         fmt::format("unknown column '{}'", header.text),
                         is_misspelt ? "" : "it could decide the result",
                         suggest(header.text, known)});
}

void ColumnTable::refuse_unit(const Column& column) {
    const std::string& name = column.match.column;
    if (column.match.fault == ColumnMatch::Fault::no_unit) {
        problems_.push_back({header_place(),
                             fmt::format("column '{}' has no unit", column.header.text),
                             "its numbers would be taken for another unit",
                             fmt::format("name it '{}'", name)});
        return;
    }
    problems_.push_back(
        {header_place(),
         fmt::format(
             "'{}' is no unit of column '{}'", column.header.unit.value_or(""), column.header.name),
         "its numbers would mean something else",
         column_unit(name).empty()
             ? "write the name alone"
             : fmt::format("use the column '{}', or another unit of the same kind", name)});
}

void ColumnTable::add(Column column) {
    const std::string name = column.match.column;
    const auto before = columns_.find(name);
    if (before == columns_.end()) {
        columns_.emplace(name, std::move(column));
        return;
    }
    Column& first = before->second;
    if (first.match.rank == column.match.rank && !have_equal_cells(first, column)) {
        problems_.push_back(
            {header_place(),
             fmt::format("column '{}' is given twice", name),
             first.header.text == column.header.text
                 ? ""
                 : fmt::format("as '{}' and '{}'", first.header.text, column.header.text),
             "keep one of the two"});
        return;
    }
    if (column.match.rank < first.match.rank) std::swap(first, column);
    others_.push_back(column.header.text);
}

bool ColumnTable::have_equal_cells(const Column& first, const Column& second) const {
    for (size_t row = 0; row < table_.num_rows(); ++row) {
        const auto a = value(row, first), b = value(row, second);
        const bool are_equal =
            a && b ? *a == *b
                   : table_.text(row, first.header.cell) == table_.text(row, second.header.cell);
        if (!are_equal) return false;
    }
    return true;
}

std::string ColumnTable::header_place() const {
    return fmt::format("{}:{}", file_.string(), table_.header_line());
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

std::optional<double> ColumnTable::value(size_t row, const Column& column) const {
    const auto value = table_.number(table_.text(row, column.header.cell));
    const ColumnMatch& match = column.match;
    if (!value || (match.factor == 1.0 && match.offset == 0.0)) return value;
    return match.offset + match.factor * *value;
}

std::string ColumnTable::plain_text(size_t row, const std::string& column) const {
    const auto number = value(row, columns_.at(column));
    return number ? fmt::format("{}", *number) : text(row, column);
}

std::optional<double> ColumnTable::number(size_t row,
                                          const std::string& column,
                                          double low,
                                          double high) const {
    const std::string& cell = text(row, column);
    const Column& found = columns_.at(column);
    const auto value = this->value(row, found);
    if (value && *value >= low && *value <= high) return value;
    const std::string unit = found.match.factor == 1.0
                                 ? ""
                                 : fmt::format(", in {}", found.header.unit.value_or("degrees"));
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
