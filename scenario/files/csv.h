// SPDX-License-Identifier: MIT
// Tables of text with comma, semicolon or tab between the cells, and quotes around cells that
// contain one of these.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// One record and the place of each cell.
struct CsvRow {
    int line = 0;                    ///< line on which the record begins, from 1
    std::vector<std::string> cells;  ///< texts without quotes and surrounding blanks
    std::vector<int> columns;        ///< character of the line at which each cell begins, from 1
    std::vector<bool> quoted;        ///< true for cells in quotes

    bool is_blank() const;  ///< returns true if all cells are empty
};

/// The rows of a file, with the data that messages need.
struct CsvTable {
    std::string file;          ///< name of the file for messages
    char delimiter{','};       ///< comma, semicolon or tab
    std::vector<CsvRow> rows;  ///< header and rows, without blank lines and comments

    /// Returns "FILE:line:column" of a cell, or of the end of the record if it has fewer cells.
    std::string where(const CsvRow& row, size_t cell) const;
};

/// Parses a table according to RFC 4180. In addition it accepts a byte order mark and line ends of
/// any kind, and skips blank lines and comments. Outside of quotes a comment starts with a '#' that
/// begins a cell or follows a blank. The delimiter is the one of comma, semicolon and tab that
/// occurs most often in the first record outside of quotes. A quoted cell may contain delimiters,
/// line ends, and quotes written twice. Throws InputError with all problems: quotes that are not
/// closed and text after a closing quote.
CsvTable parse_csv(const std::string& text, const std::string& name);

/// Reads a file and parses it like parse_csv(). Throws InputError if the file cannot be read.
CsvTable read_csv(const std::filesystem::path& file);

}  // namespace helioray
