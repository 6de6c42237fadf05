// SPDX-License-Identifier: MIT
// Parses headers, lines of units, lengths of rows and decimal commas.
#include "scenario/inputs/raw_table.h"

#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/units.h"
#include "scenario/types/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace helioray {

namespace {

struct Unit {
    const char* word;   ///< As joined_words() returns it.
    char kind;          ///< Letter of the kind; units of one kind can be converted into each other.
    double factor;      ///< Number of base units in one of these units.
    double zero = 0.0;  ///< Zero of this unit in base units.
};

constexpr double kDegreesPerRadian = 1.0 / kRadiansPerDegree;
constexpr Unit kUnits[] = {{"deg", 'a', 1.0},
                           {"degree", 'a', 1.0},
                           {"degrees", 'a', 1.0},
                           {"rad", 'a', kDegreesPerRadian},
                           {"radian", 'a', kDegreesPerRadian},
                           {"radians", 'a', kDegreesPerRadian},
                           {"mrad", 'a', 1e-3 * kDegreesPerRadian},
                           {"milliradian", 'a', 1e-3 * kDegreesPerRadian},
                           {"milliradians", 'a', 1e-3 * kDegreesPerRadian},
                           {"urad", 'a', 1e-6 * kDegreesPerRadian},
                           {"arcmin", 'a', 1.0 / 60.0},
                           {"arcsec", 'a', 1.0 / 3600.0},
                           {"m", 'l', 1.0},
                           {"metre", 'l', 1.0},
                           {"metres", 'l', 1.0},
                           {"meter", 'l', 1.0},
                           {"meters", 'l', 1.0},
                           {"mm", 'l', 1e-3},
                           {"cm", 'l', 1e-2},
                           {"km", 'l', 1e3},
                           {"ft", 'l', 0.3048},
                           {"w_m2", 'f', 1.0},
                           {"w_m_2", 'f', 1.0},
                           {"wm2", 'f', 1.0},
                           {"watts_per_meter_squared", 'f', 1.0},
                           {"kwm2", 'f', 1e3},
                           {"kw_m2", 'f', 1e3},
                           {"kw_m_2", 'f', 1e3},
                           {"mw_m2", 'f', 1e6},
                           {"mw_m_2", 'f', 1e6},
                           {"c", 't', 1.0},
                           {"degc", 't', 1.0},
                           {"deg_c", 't', 1.0},
                           {"celsius", 't', 1.0},
                           {"degrees_celsius", 't', 1.0},
                           {"k", 't', 1.0, -273.15},
                           {"kelvin", 't', 1.0, -273.15}};

const Unit* find_unit(const std::string& text) {
    const std::string word = joined_words(text);
    for (const Unit& unit : kUnits)
        if (word == unit.word) return &unit;
    return nullptr;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
        text.replace(at, from.size(), to);
}

std::string lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

constexpr std::array<const char*, 3> kBrackets{"[]", "()", "<>"};

bool is_bracketed(const std::string& cell) {
    return std::ranges::any_of(kBrackets, [&](const char* pair) {
        return cell.size() > 1 && cell.front() == pair[0] && cell.back() == pair[1];
    });
}

/// Returns the unit in a cell of a line of units, without brackets.
std::string bracketed_unit(const std::string& cell) {
    return is_bracketed(cell) ? cell.substr(1, cell.size() - 2) : cell;
}

/// Returns true for a line of units: its cells are units in brackets, known units, or marks for no
/// unit.
bool is_line_of_units(const CsvRow& row) {
    bool has_unit = false;
    for (const std::string& cell : row.cells) {
        const bool is_unit = is_bracketed(cell) || find_unit(cell);
        if (!is_unit && !cell.empty() && cell != "-" && cell != "1") return false;
        has_unit = has_unit || is_unit;
    }
    return has_unit;
}

bool is_line_of_numbers(const CsvRow& row) {
    return std::ranges::all_of(row.cells, [](const std::string& cell) {
        std::string point = cell;
        std::ranges::replace(point, ',', '.');
        return cell.empty() || parse_number(point).has_value();
    });
}

/// Returns true if the numbers of rows have decimal commas. This requires a separator other than
/// the comma, and no number with a decimal point, because commas could then separate thousands.
bool has_decimal_commas(const std::vector<CsvRow>& rows, char separator) {
    if (separator == ',') return false;
    bool has_comma = false;
    for (const CsvRow& row : rows) {
        for (const std::string& cell : row.cells) {
            if (cell.find('.') != std::string::npos && parse_number(cell)) return false;
            has_comma = has_comma || cell.find(',') != std::string::npos;
        }
    }
    return has_comma;
}

/// Returns true if a capital begins a word within a name such as "SolarAzimuth" or "DNIClear".
/// Words have at least two letters, so that "kW" and "mRad" stay whole.
bool begins_word(const std::string& text, size_t at) {
    const auto is = [&](size_t index, auto test) {
        return index < text.size() && test(static_cast<unsigned char>(text[index])) != 0;
    };
    const auto is_upper = [](int c) { return std::isupper(c); };
    const auto is_lower = [](int c) { return std::islower(c); };
    const auto is_letter = [](int c) { return std::isalpha(c); };
    if (at < 2 || !is(at, is_upper) || !is(at - 2, is_letter)) return false;
    return is(at - 1, is_lower) || (is(at - 1, is_upper) && is(at + 1, is_lower));
}

/// Removes empty cells beyond the first `count` at the end of a row, which separators at the end of
/// the line create.
void trim_row(CsvRow& row, size_t count) {
    while (row.cells.size() > count && row.cells.back().empty()) {
        row.cells.pop_back();
        row.columns.pop_back();
        row.quoted.pop_back();
    }
}

/// Returns true if the cells of a column are empty or count the rows in steps of 1, like the index
/// of a data frame.
bool is_index(const std::vector<CsvRow>& rows, size_t cell) {
    std::optional<double> previous;
    for (const CsvRow& row : rows) {
        if (row.cells[cell].empty()) continue;
        const auto number = parse_number(row.cells[cell]);
        if (!number || (previous && *number != *previous + 1.0)) return false;
        previous = number;
    }
    return true;
}

}  // namespace

std::string joined_words(const std::string& text) {
    std::string plain = text;
    // Replace the signs for degree and square of files in Latin-1, which spreadsheets write.
    for (size_t at = 0; at < plain.size(); ++at) {
        const bool is_alone = at == 0 || static_cast<unsigned char>(plain[at - 1]) < 0x80;
        if (is_alone && plain[at] == '\xB0') plain.replace(at, 1, "deg");
        if (is_alone && plain[at] == '\xB2') plain[at] = '2';
    }
    replace_all(plain, "²", "2");
    replace_all(plain, "°", "deg");
    replace_all(plain, "µ", "u");
    std::string words;
    for (size_t i = 0; i < plain.size(); ++i) {
        const auto byte = static_cast<unsigned char>(plain[i]);
        if (std::isalnum(byte)) {
            if (begins_word(plain, i)) words += '_';
            words += static_cast<char>(std::tolower(byte));
        } else if (!words.empty() && words.back() != '_') {
            words += '_';
        }
    }
    while (!words.empty() && words.back() == '_') words.pop_back();
    return words;
}

std::optional<UnitConversion> find_conversion(const std::string& from, const std::string& to) {
    const Unit* const first = find_unit(from);
    const Unit* const second = find_unit(to);
    if (!first || !second || first->kind != second->kind) return std::nullopt;
    if (first == second) return UnitConversion{};
    return UnitConversion{first->factor / second->factor,
                          (first->zero - second->zero) / second->factor};
}

bool is_missing_cell(const std::string& cell) {
    const std::string word = lower_case(cell);
    return word.empty() || word == "nan" || word == "na" || word == "n/a" || word == "null" ||
           word == "none";
}

std::optional<bool> parse_switch(const std::string& cell) {
    const std::string word = lower_case(cell);
    for (const char* yes : {"true", "yes", "on", "1"})
        if (word == yes) return true;
    for (const char* no : {"false", "no", "off", "0"})
        if (word == no) return false;
    return std::nullopt;
}

TableHeader split_header(const std::string& text) {
    for (const char* pair : kBrackets) {
        const size_t open = text.find(pair[0]);
        const size_t close = text.rfind(pair[1]);
        if (open == std::string::npos || close == std::string::npos || close < open) continue;
        const std::string inside = text.substr(open + 1, close - open - 1);
        static constexpr std::array kDirections{"east", "north", "up", "zenith", "height"};
        if (std::ranges::find(kDirections, joined_words(inside)) != kDirections.end()) break;
        return {text, joined_words(text.substr(0, open)), inside, 0};
    }
    const std::string name = joined_words(text);
    // Look for the longest unit at the end: "kw_m2" rather than none, "w_m2" rather than "m2".
    for (size_t at = name.find('_'); at != std::string::npos; at = name.find('_', at + 1)) {
        if (find_unit(name.substr(at + 1)))
            return {text, name.substr(0, at), name.substr(at + 1), 0};
    }
    return {text, name, std::nullopt, 0};
}

RawTable::RawTable(CsvTable csv, std::vector<Problem>& problems) {
    std::vector<CsvRow> rows = std::move(csv.rows);
    csv.rows.clear();
    csv_ = std::move(csv);
    if (rows.empty()) return;

    decimal_commas_ = has_decimal_commas(rows, csv_.delimiter);

    const bool units_above = rows.size() > 1 && is_line_of_units(rows[0]);
    const size_t header_at = units_above ? 1 : 0;
    const bool units_below = !units_above && rows.size() > 1 && is_line_of_units(rows[1]);
    CsvRow& header = rows[header_at];
    trim_row(header, 1);
    starts_with_numbers_ = is_line_of_numbers(header);
    const size_t count = header.cells.size();
    size_t first_row = 0;
    if (!starts_with_numbers_) {
        first_row = units_above || units_below ? 2 : 1;
        const CsvRow* const units = units_above ? &rows[0] : units_below ? &rows[1] : nullptr;
        for (size_t i = 0; i < count; ++i) {
            // A column without a name is the index of a data frame, or cannot be referred to.
            if (header.cells[i].empty()) continue;
            TableHeader column = split_header(header.cells[i]);
            column.cell = i;
            if (units && i < units->cells.size() && !bracketed_unit(units->cells[i]).empty() &&
                units->cells[i] != "-") {
                const std::string unit = bracketed_unit(units->cells[i]);
                if (column.unit && joined_words(*column.unit) != joined_words(unit)) {
                    problems.push_back(
                        {where(header, i),
                         fmt::format(
                             "'{}' has the unit '{}' in the line of units", column.text, unit),
                         "the two contradict each other",
                         "keep one of them"});
                }
                column.unit = unit;
            }
            headers_.push_back(std::move(column));
        }
        header_ = header;
    }
    std::vector<size_t> unnamed;
    for (size_t i = 0; i < count && !starts_with_numbers_; ++i)
        if (header_.cells[i].empty()) unnamed.push_back(i);
    rows_.reserve(rows.size() - first_row);
    for (size_t i = first_row; i < rows.size(); ++i) {
        trim_row(rows[i], count);
        if (rows[i].cells.size() == count) {
            rows_.push_back(std::move(rows[i]));
            continue;
        }
        problems.push_back(
            {fmt::format("{}:{}", csv_.file, rows[i].line),
             fmt::format("has {} cells, the header {}", rows[i].cells.size(), count),
             "",
             "write one cell per column, and put cells that contain the separator in quotes"});
    }
    for (const size_t cell : unnamed)
        if (!is_index(rows_, cell))
            unnamed_.push_back(fmt::format("column {} without a name", cell + 1));
}

std::optional<double> RawTable::number(const std::string& cell) const {
    if (!decimal_commas_ || cell.find(',') == std::string::npos) return parse_number(cell);
    std::string point = cell;
    point[point.find(',')] = '.';
    return parse_number(point);
}

std::string RawTable::number_advice(const std::string& cell) const {
    if (cell.find(',') != std::string::npos) return "write a decimal point, not a comma";
    if (cell.ends_with('%'))
        if (const auto percent = parse_number(trimmed(cell.substr(0, cell.size() - 1))))
            return fmt::format("write a share of 1 without a sign: {}",
                               limit_text(*percent / 100.0));
    return "write digits alone, such as 12.5";
}

}  // namespace helioray
