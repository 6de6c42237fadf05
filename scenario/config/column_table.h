// SPDX-License-Identifier: MIT
// CSV files whose header names the columns.
#pragma once

#include "scenario/files/csv.h"
#include "scenario/files/error.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Rows below a header line, whose cells are names of columns.
class ColumnTable {
  public:
    /// What becomes of columns that are neither required nor optional.
    enum class OtherColumns { refuse, ignore };

    /// Reads the file (see read_commented_csv). Adds a problem for other (where they are refused),
    /// repeated and missing columns and for rows of another length, which are left out.
    ColumnTable(std::filesystem::path file,
                const std::vector<std::string>& required,
                const std::vector<std::string>& optional,
                std::vector<Problem>& problems,
                OtherColumns others = OtherColumns::refuse);

    size_t num_rows() const { return rows_.size(); }
    /// Names of columns that were ignored.
    const std::vector<std::string>& other_columns() const { return others_; }
    bool has(const std::string& column) const { return columns_.contains(column); }
    /// Precondition: has(column).
    const std::string& text(size_t row, const std::string& column) const;
    /// A finite number in [low, high]; otherwise nothing, and a problem.
    std::optional<double> number(size_t row,
                                 const std::string& column,
                                 double low,
                                 double high) const;
    /// A checked, normalised time (see parse_iso_time); otherwise nothing, and a problem.
    std::optional<std::string> time(size_t row, const std::string& column) const;
    /// From 1, in the file.
    int line(size_t row) const { return rows_.at(row).line; }
    /// "FILE:line", or "FILE:line: column".
    std::string place(size_t row, const std::string& column = {}) const;

  private:
    std::filesystem::path file_;
    std::map<std::string, size_t> columns_;
    std::vector<std::string> others_;
    std::vector<CsvRow> rows_;
    std::vector<Problem>& problems_;
};

}  // namespace helioray
