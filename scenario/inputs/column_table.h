// SPDX-License-Identifier: MIT
// Tables whose columns the program knows by name and unit.
#pragma once

#include "scenario/files/error.h"
#include "scenario/inputs/raw_table.h"
#include "scenario/inputs/table_columns.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Rows below a header. Columns are recognised by the names of table_columns.h in upper or lower
/// case, with any unit of their kind. Numbers are converted into the unit of the program's own
/// name.
class ColumnTable {
  public:
    /// Treatment of columns that are neither required nor optional: `judge` refuses those that
    /// could decide the result (see could_decide()) and warns of the others; `warn` warns of all.
    enum class OtherColumns { judge, warn };

    /// Reads the file. Adds a problem for columns that are refused, repeated, missing or lack a
    /// required unit, and for rows with a wrong number of cells, which are left out.
    ColumnTable(const std::filesystem::path& file,
                const std::vector<std::string>& required,
                const std::vector<std::string>& optional,
                std::vector<Problem>& problems,
                OtherColumns others = OtherColumns::judge);
    /// Takes rows that have been read.
    ColumnTable(CsvTable rows,
                const std::vector<std::string>& required,
                const std::vector<std::string>& optional,
                std::vector<Problem>& problems,
                OtherColumns others = OtherColumns::judge);

    size_t num_rows() const { return table_.num_rows(); }
    /// Returns the headers of columns that the table's reader does not use.
    const std::vector<std::string>& other_columns() const { return others_; }
    /// Returns a warning that names other_columns(), or nothing if there are none.
    std::optional<std::string> warning() const;
    bool has(const std::string& column) const { return columns_.contains(column); }
    /// Returns the unit and rank under which the header names a column. Precondition: has(column).
    const ColumnMatch& match(const std::string& column) const { return columns_.at(column).match; }
    /// Returns the text of a cell. Precondition: has(column).
    const std::string& text(size_t row, const std::string& column) const;
    /// Returns true if the cell has one of the usual marks for a missing value, see
    /// is_missing_cell().
    bool is_missing(size_t row, const std::string& column) const;
    /// Returns the text of a cell. A number is in the unit of the column's name, with a decimal
    /// point.
    std::string plain_text(size_t row, const std::string& column) const;
    /// Returns a finite number in [low, high], in the unit of the column's name. Otherwise returns
    /// nothing and adds a problem.
    std::optional<double> number(size_t row,
                                 const std::string& column,
                                 double low,
                                 double high) const;
    /// Returns a checked, normalised time (see parse_iso_time()). Otherwise returns nothing and
    /// adds a problem.
    std::optional<std::string> time(size_t row, const std::string& column) const;
    /// Returns true or false (see parse_switch()). Otherwise returns nothing and adds a problem.
    std::optional<bool> flag(size_t row, const std::string& column) const;
    /// Returns the line of a row in the file, from 1.
    int line(size_t row) const { return table_.row(row).line; }
    /// Returns "FILE:line", or "FILE:line: column".
    std::string place(size_t row, const std::string& column = {}) const;

  private:
    struct Column {
        TableHeader header;
        ColumnMatch match;
    };
    void find_columns(const std::vector<std::string>& known, OtherColumns others);
    void judge_other(const TableHeader& header,
                     const std::vector<std::string>& known,
                     OtherColumns others);
    void refuse_unit(const Column& column);
    /// Adds a column. Of two columns for the same quantity the one with the lower rank counts; two
    /// of equal rank must have equal cells.
    void add(Column column);
    bool have_equal_cells(const Column& first, const Column& second) const;
    /// Returns the number of a cell in the unit of the column's name, or nothing if it is not a
    /// number.
    std::optional<double> value(size_t row, const Column& column) const;
    /// Returns "FILE:line" of the header.
    std::string header_place() const;

    std::filesystem::path file_;
    std::vector<Problem>& problems_;
    RawTable table_;
    std::map<std::string, Column> columns_;
    std::vector<std::string> others_;
};

}  // namespace helioray
