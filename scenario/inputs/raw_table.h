// SPDX-License-Identifier: MIT
// Tables of text with a header, with the rules that all readers of tables share.
#pragma once

#include "scenario/files/csv.h"
#include "scenario/files/error.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Returns the text in lower case with its words joined by '_': "Loc. X" becomes "loc_x",
/// "SolarAzimuth" "solar_azimuth".
std::string joined_words(const std::string& text);

/// Conversion of a value between two units: factor * value + offset.
struct UnitConversion {
    double factor = 1.0;  ///< size of the old unit in the new one
    double offset = 0.0;  ///< zero of the old unit in the new one; 0 except for temperatures
};

/// Returns the conversion between two units of the same kind in any spelling ("W/m2", "w_m2",
/// "deg"), or nothing if a unit is unknown or the kinds differ.
std::optional<UnitConversion> find_conversion(const std::string& from, const std::string& to);

/// Returns true for the usual marks of a missing value, in upper or lower case: an empty cell, nan,
/// NA, N/A, NULL, none.
bool is_missing_cell(const std::string& cell);

/// Returns the meaning of true, yes, on, 1 and false, no, off, 0 in upper or lower case; nothing
/// for other texts.
std::optional<bool> parse_switch(const std::string& cell);

/// A name with its unit, in the spelling of headers: "x [m]", "Azimuth (deg)", "dni_w_m2".
struct TableHeader {
    std::string text;  ///< Text of the header in the file.
    std::string name;  ///< Words without the unit, see joined_words().
    /// Unit in the spelling of the file, from the header or the line of units.
    std::optional<std::string> unit;
    std::size_t cell = 0;  ///< Index of the column's cells in a row.
};

/// Splits a header into its name and unit. Brackets that hold no unit belong to the name:
/// "X(East)" is "x_east".
TableHeader split_header(const std::string& text);

/// A table whose rows fit its header.
///
/// In addition to the input of parse_csv() it accepts a line of units below or above the header,
/// with or without brackets; a first column without a name (the index of a data frame), which is
/// left out; separators at the ends of lines; and decimal commas if the separator is another
/// character and no number of the file has a decimal point.
class RawTable {
  public:
    /// Parses the header and the rows. Adds a problem for each row whose number of cells differs
    /// from the header's, and leaves it out.
    RawTable(CsvTable csv, std::vector<Problem>& problems);

    const std::vector<TableHeader>& headers() const { return headers_; }
    /// Returns columns without a name that are not the index of a data frame: "column 3 without a
    /// name".
    const std::vector<std::string>& unnamed_columns() const { return unnamed_; }
    /// Returns the line of the header, from 1; 0 for an empty table.
    int header_line() const { return header_.line; }
    /// Returns true if the first line contains only numbers, so that there is no header. headers()
    /// is empty then, and all lines are rows.
    bool starts_with_numbers() const { return starts_with_numbers_; }
    std::size_t num_rows() const { return rows_.size(); }
    const CsvRow& row(std::size_t row) const { return rows_.at(row); }
    const std::string& text(std::size_t row, std::size_t cell) const {
        return rows_.at(row).cells.at(cell);
    }
    /// Returns the finite or infinite number in a cell, or nothing if it is not a number.
    std::optional<double> number(const std::string& cell) const;
    /// Returns advice for a cell that is not a number.
    std::string number_advice(const std::string& cell) const;
    /// Returns "FILE:line:column" of a cell.
    std::string where(const CsvRow& row, std::size_t cell) const { return csv_.where(row, cell); }
    /// Returns "FILE:line:column" of a header.
    std::string where(const TableHeader& header) const { return where(header_, header.cell); }
    const std::string& file() const { return csv_.file; }

  private:
    CsvTable csv_;  ///< Parsed file without its rows.
    std::vector<TableHeader> headers_;
    std::vector<CsvRow> rows_;
    std::vector<std::string> unnamed_;
    CsvRow header_;
    bool starts_with_numbers_ = false;
    bool decimal_commas_ = false;
};

}  // namespace helioray
