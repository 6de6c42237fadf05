// SPDX-License-Identifier: MIT
// Tables of text: comma, semicolon or tab between the cells, quotes around cells that contain them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// One record with the place of each cell.
struct CsvRow {
    int line = 0;                    ///< from 1; the line where the record begins
    std::vector<std::string> cells;  ///< without quotes and without blanks around
    std::vector<int> columns;        ///< from 1; character of the line where each cell begins
    std::vector<bool> quoted;        ///< which cells are in quotes

    bool is_blank() const;  ///< all cells are empty
};

/// The rows of a file, and what messages about them need.
struct CsvTable {
    std::string file;          ///< for messages
    char delimiter{','};       ///< comma, semicolon or tab
    std::vector<CsvRow> rows;  ///< the header too; blank lines and comments are left out

    /// "FILE:line:column" of a cell; of the record's end where it has fewer cells.
    std::string where(const CsvRow& row, size_t cell) const;
};

/// Parses a table after RFC 4180, with these freedoms: a byte order mark, line ends of any kind,
/// blank lines are skipped, and so is everything from a '#' on that begins a cell or follows a
/// blank, outside of quotes. The delimiter is the one of comma,
/// semicolon and tab that occurs most often in the first record outside of quotes. A quoted cell
/// may contain delimiters, line ends, and quotes written twice. Throws InputError with every
/// problem: a quote that is not closed, text after a closing quote.
CsvTable parse_csv(const std::string& text, const std::string& name);

/// The same for a file. Throws InputError when it cannot be read.
CsvTable read_csv(const std::filesystem::path& file);

}  // namespace helioray
