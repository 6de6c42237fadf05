// SPDX-License-Identifier: MIT
// Formats aligned columns of text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace helioray {

/// Width at which names in tables are shortened, in columns of the terminal.
inline constexpr std::size_t kNameWidth = 24;

enum class Align { left, right };

struct TableColumn {
    std::string header;
    Align align = Align::right;
};

/// A table of UTF-8 texts: a header line, a rule, one line per row, two blanks between columns.
class TextTable {
  public:
    explicit TextTable(std::vector<TableColumn> columns);

    /// Adds a row with one text per column.
    void add_row(std::vector<std::string> cells);

    /// Returns the lines, each indented by two blanks and ended by a line feed, without trailing
    /// blanks.
    std::string str() const;

  private:
    std::vector<TableColumn> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// Returns lines "  key   value" with aligned values. Pairs with an empty value are left out.
std::string key_value_lines(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace helioray
