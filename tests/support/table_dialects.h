// SPDX-License-Identifier: MIT
// One table in the dialects in which spreadsheets and programs write it.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace helioray::test {

/// A column: its name without unit, its unit (empty: none), and its cells.
struct DialectColumn {
    std::string name;
    std::string unit;
    std::vector<std::string> cells;
    bool is_text = false;
};

enum class UnitStyle { suffix, brackets, parentheses, line_below, plain_line_below, line_above };

/// How a program writes a table.
struct TableDialect {
    std::string name;
    std::string separator = ",";
    std::string line_end = "\n";
    UnitStyle units = UnitStyle::suffix;
    bool decimal_comma = false;
    bool byte_order_mark = false;
    bool quoted_header = false;
    bool quoted_cells = false;
    bool trailing_separator = false;       ///< In all lines.
    bool trailing_separator_rows = false;  ///< In rows alone.
    bool index = false;                    ///< A first column without a name.
    bool blanks = false;                   ///< Around cells.
    bool upper_case = false;               ///< In names of columns.
    bool blank_lines = false;
    bool exponents = false;        ///< 1e0 behind each number.
    bool last_line_open = false;   ///< Without a line end.
    bool reversed = false;         ///< The order of columns.
    std::string before = {};       ///< Lines above the header.
    std::string row_comment = {};  ///< Behind each row.
    bool between_comment = false;  ///< A line of comment between rows.
    bool spaced_names = false;     ///< Words of names separated by blanks.
    bool harmless_column = false;  ///< One more column that no reader knows.
};

/// The text of a table in a dialect.
inline std::string table_text(const TableDialect& dialect, std::vector<DialectColumn> columns) {
    if (dialect.reversed) std::reverse(columns.begin(), columns.end());
    if (dialect.harmless_column) {
        columns.push_back(
            {"remark", "", std::vector<std::string>(columns[0].cells.size(), "a"), true});
    }
    std::string text = dialect.byte_order_mark ? "\xEF\xBB\xBF" : "";
    for (const char c : dialect.before) text += c == '\n' ? dialect.line_end : std::string(1, c);
    const auto add_line =
        [&](const std::vector<std::string>& cells, const std::string& index, bool is_row) {
            std::string line = dialect.index ? index + dialect.separator : "";
            for (size_t i = 0; i < cells.size(); ++i) {
                if (i > 0) line += dialect.separator;
                line += dialect.blanks ? " " + cells[i] + "  " : cells[i];
            }
            if (dialect.trailing_separator || (is_row && dialect.trailing_separator_rows))
                line += dialect.separator;
            if (is_row) line += dialect.row_comment;
            text += line + dialect.line_end;
        };
    std::vector<std::string> header, units;
    for (const DialectColumn& column : columns) {
        std::string name = column.name;
        if (dialect.spaced_names) std::replace(name.begin(), name.end(), '_', ' ');
        if (dialect.upper_case)
            for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        if (!column.unit.empty()) {
            if (dialect.units == UnitStyle::suffix)
                name += (dialect.spaced_names ? " " : "_") + column.unit;
            if (dialect.units == UnitStyle::brackets) name += " [" + column.unit + "]";
            if (dialect.units == UnitStyle::parentheses) name += " (" + column.unit + ")";
        }
        header.push_back(dialect.quoted_header ? '"' + name + '"' : name);
        const bool plain = dialect.units == UnitStyle::plain_line_below;
        units.push_back(column.unit.empty() ? "" : plain ? column.unit : "[" + column.unit + "]");
    }
    if (dialect.units == UnitStyle::line_above) add_line(units, "", false);
    add_line(header, "", false);
    if (dialect.units == UnitStyle::line_below || dialect.units == UnitStyle::plain_line_below)
        add_line(units, "", false);
    for (size_t row = 0; row < columns[0].cells.size(); ++row) {
        std::vector<std::string> cells;
        for (const DialectColumn& column : columns) {
            std::string cell = column.cells[row];
            if (!column.is_text && dialect.exponents) cell += "e0";
            if (!column.is_text && dialect.decimal_comma) {
                if (cell.find('.') == std::string::npos) cell += ".0";
                cell.replace(cell.find('.'), 1, ",");
            }
            cells.push_back(dialect.quoted_cells ? '"' + cell + '"' : cell);
        }
        add_line(cells, std::to_string(row), true);
        if (dialect.blank_lines) text += dialect.line_end;
        if (dialect.between_comment) text += "# measured, later" + dialect.line_end;
    }
    if (dialect.last_line_open) text.resize(text.size() - dialect.line_end.size());
    return text;
}

/// 40 dialects that every reader of tables with a header accepts.
inline std::vector<TableDialect> table_dialects() {
    using enum UnitStyle;
    return {
        {.name = "plain"},
        {.name = "semicolons", .separator = ";"},
        {.name = "tabs", .separator = "\t"},
        {.name = "lines of Windows", .line_end = "\r\n"},
        {.name = "lines of old Macs", .line_end = "\r"},
        {.name = "byte order mark", .byte_order_mark = true},
        {.name = "byte order mark and quotes", .byte_order_mark = true, .quoted_header = true},
        {.name = "decimal commas", .separator = ";", .decimal_comma = true},
        {.name = "decimal commas, tabs", .separator = "\t", .decimal_comma = true},
        {.name = "German Excel",
         .separator = ";",
         .line_end = "\r\n",
         .decimal_comma = true,
         .byte_order_mark = true},
        {.name = "line for Excel", .separator = ";", .before = "sep=;\n"},
        {.name = "units in brackets", .units = brackets},
        {.name = "units in parentheses", .units = parentheses},
        {.name = "units in a line", .units = line_below},
        {.name = "units in a line without brackets", .units = plain_line_below},
        {.name = "units above the header", .units = line_above},
        {.name = "quoted units in a line", .units = line_below, .quoted_header = true},
        {.name = "quoted header", .quoted_header = true},
        {.name = "quoted cells", .quoted_cells = true},
        {.name = "all quoted", .quoted_header = true, .quoted_cells = true},
        {.name = "separators at line ends", .trailing_separator = true},
        {.name = "separators at the ends of rows", .trailing_separator_rows = true},
        {.name = "semicolons at line ends", .separator = ";", .trailing_separator = true},
        {.name = "index of a frame", .index = true},
        {.name = "index and separators", .trailing_separator = true, .index = true},
        {.name = "index and units", .units = brackets, .index = true},
        {.name = "blanks", .blanks = true},
        {.name = "blanks and tabs", .separator = "\t", .blanks = true},
        {.name = "upper case", .units = brackets, .upper_case = true},
        {.name = "names of words", .units = brackets, .spaced_names = true},
        {.name = "names and units of words", .spaced_names = true},
        {.name = "blank lines", .blank_lines = true},
        {.name = "exponents", .exponents = true},
        {.name = "open last line", .last_line_open = true},
        {.name = "other order", .reversed = true},
        {.name = "comment above", .before = "# exported, by hand; 2026\n\n"},
        {.name = "comments in rows", .row_comment = " # checked, good"},
        {.name = "comments between rows", .between_comment = true},
        {.name = "one more column", .harmless_column = true},
        {.name = "much at once",
         .separator = ";",
         .line_end = "\r\n",
         .units = parentheses,
         .decimal_comma = true,
         .byte_order_mark = true,
         .quoted_header = true,
         .trailing_separator = true,
         .index = true,
         .blanks = true,
         .upper_case = true,
         .blank_lines = true,
         .before = "# all\n",
         .harmless_column = true},
    };
}

/// A table that no reader may accept, and a part of the message.
struct RefusedDialect {
    std::string name;
    std::string text;
    std::string message;
};

/// Tables with damaged rows, encodings and commas that could mean two things.
inline std::vector<RefusedDialect> refused_dialects(const std::vector<DialectColumn>& columns) {
    const TableDialect plain{.name = "plain"};
    const std::string text = table_text(plain, columns);
    const size_t first_row = text.find('\n') + 1;
    std::string utf16 = "\xFF\xFE";
    for (const char c : text) utf16 += std::string{c, '\0'};
    std::string short_row = text;
    short_row.erase(first_row, short_row.find(',', first_row) + 1 - first_row);
    std::string long_row = text;
    long_row.insert(first_row, "7,");
    return {{"UTF-16", utf16, "UTF-16"},
            {"a row without its first cell", short_row, "cells, the header"},
            {"a row with one more cell", long_row, "cells, the header"},
            {"no header", text.substr(first_row), ""}};
}

}  // namespace helioray::test
