// SPDX-License-Identifier: MIT
// Tables in HDF5: a group with one dataset per column, which have one row per item.
#pragma once

#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace helioray::columns {

/// A column of words that repeat: the different words, and the index of each row's word.
struct Words {
    std::vector<std::string> words;
    std::vector<std::int64_t> rows;
};

/// Reads columns. Every member throws InputError with the path of a column that is missing, has
/// another number of rows or another shape, or holds wrong values.
class Table {
  public:
    /// The table `name` of a group. It has as many rows as its column `key`.
    Table(const hdf5::Group& parent, const std::string& name, const std::string& key);

    std::size_t rows() const { return rows_; }
    bool contains(const std::string& column) const { return group_.contains(column); }
    std::string where(const std::string& column) const { return group_.where_of(column); }

    /// Finite numbers of `count` rows from `first` on; `row` is the shape of a row.
    std::vector<double> numbers(const std::string& column,
                                const hdf5::Shape& row,
                                std::size_t first,
                                std::size_t count) const;
    /// Returns the numbers of all rows of a column.
    std::vector<double> numbers(const std::string& column, const hdf5::Shape& row) const {
        return numbers(column, row, 0, rows_);
    }
    /// Whole numbers of all rows.
    std::vector<std::int64_t> integers(const std::string& column, const hdf5::Shape& row) const;
    /// Whole numbers from 0 to `size` - 1, of all rows: rows of a table that has `size` of them.
    std::vector<std::int64_t> indices(const std::string& column, std::size_t size) const;
    /// Texts of all rows.
    std::vector<std::string> texts(const std::string& column) const;
    /// Words of all rows: the column itself and `<column>_words`.
    Words words(const std::string& column) const;

    /// Throws where `is_good(row)` fails for one of `count` rows from `first` on: names the first
    /// bad row and says how many there are.
    template <typename IsGood>
    void require(const std::string& column,
                 std::size_t first,
                 std::size_t count,
                 const IsGood& is_good,
                 const std::string& what,
                 const std::string& why) const {
        std::size_t bad = 0, first_bad = 0;
        for (std::size_t row = first; row < first + count; ++row) {
            if (is_good(row)) continue;
            if (bad++ == 0) first_bad = row;
        }
        if (bad > 0) fail(column, first_bad, bad, what, why);
    }

  private:
    hdf5::Dataset column(const std::string& name, const hdf5::Shape& row) const;
    [[noreturn]] void fail(const std::string& column,
                           std::size_t first_bad,
                           std::size_t bad,
                           const std::string& what,
                           const std::string& why) const;

    hdf5::Group group_;
    std::size_t rows_ = 0;
};

/// Writes columns, compressed in chunks. Columns without rows are left out.
class TableWriter {
  public:
    /// Creates the group of the table.
    TableWriter(hdf5::Group& parent, const std::string& name) : group_(parent.create_group(name)) {}

    /// Numbers; `row` is the shape of a row. The unit and the description become attributes.
    void numbers(const std::string& column,
                 const std::vector<double>& values,
                 const hdf5::Shape& row,
                 const char* unit,
                 const char* description);
    void integers(const std::string& column,
                  const std::vector<std::int64_t>& values,
                  const hdf5::Shape& row,
                  const char* description);
    void texts(const std::string& column,
               const std::vector<std::string>& values,
               const char* description);
    /// Words that repeat, see Table::words().
    void words(const std::string& column,
               const std::vector<std::string>& values,
               const char* description);

  private:
    hdf5::Group group_;
};

}  // namespace helioray::columns
