// SPDX-License-Identifier: MIT
// Tables of text with a header: the rules that all readers of tables share.
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

/// Factor from one unit to another of the same kind, both in any spelling ("W/m2", "w_m2", "deg");
/// nothing where one of them is unknown or they measure different things.
std::optional<double> unit_factor(const std::string& from, const std::string& to);

/// Returns true for the usual marks of a missing value, in any case: an empty cell, nan, NA, N/A,
/// NULL, none.
bool is_missing_cell(const std::string& cell);

/// Returns the meaning of true, yes, on, 1 and false, no, off, 0 in any case; nothing for others.
std::optional<bool> parse_switch(const std::string& cell);

/// A name with its unit, as headers write them: "x [m]", "Azimuth (deg)", "dni_w_m2".
struct TableHeader {
    std::string text;                 ///< As the file has it.
    std::string name;                 ///< Words without the unit, see joined_words().
    std::optional<std::string> unit;  ///< As the file has it; from the header or the line of units.
    std::size_t cell = 0;             ///< Index of the column's cells in a row.
};

/// Splits a header into its name and unit. Brackets that hold no unit belong to the name:
/// "X(East)" is "x_east".
TableHeader split_header(const std::string& text);

/// A table whose rows fit its header.
///
/// Accepted besides what parse_csv() accepts: a line of units below or above the header, with or
/// without brackets; a first column without a name (the index of a data frame), which is left out;
/// separators at the ends of lines; decimal commas where the separator is another character and no
/// number of the file has a decimal point.
class RawTable {
  public:
    /// Adds a problem for a row whose number of cells is not that of the header, and leaves it out.
    RawTable(CsvTable csv, std::vector<Problem>& problems);

    const std::vector<TableHeader>& headers() const { return headers_; }
    /// Columns without a name that are not the index of a data frame: "column 3 without a name".
    const std::vector<std::string>& unnamed_columns() const { return unnamed_; }
    /// Line of the header, from 1; 0 for a table without any line.
    int header_line() const { return header_.line; }
    /// True if the first line has numbers only, so that there is no header. headers() is empty
    /// then, and all lines are rows.
    bool starts_with_numbers() const { return starts_with_numbers_; }
    std::size_t num_rows() const { return rows_.size(); }
    const CsvRow& row(std::size_t row) const { return rows_.at(row); }
    const std::string& text(std::size_t row, std::size_t cell) const {
        return rows_.at(row).cells.at(cell);
    }
    /// A finite or infinite number in a cell; nothing where it is none.
    std::optional<double> number(const std::string& cell) const;
    /// Advice for a cell that is no number.
    std::string number_advice(const std::string& cell) const;
    /// "FILE:line:column" of a cell.
    std::string where(const CsvRow& row, std::size_t cell) const { return csv_.where(row, cell); }
    /// "FILE:line:column" of a header.
    std::string where(const TableHeader& header) const { return where(header_, header.cell); }
    const std::string& file() const { return csv_.file; }

  private:
    CsvTable csv_;  ///< Without its rows.
    std::vector<TableHeader> headers_;
    std::vector<CsvRow> rows_;
    std::vector<std::string> unnamed_;
    CsvRow header_;
    bool starts_with_numbers_ = false;
    bool decimal_commas_ = false;
};

}  // namespace helioray
