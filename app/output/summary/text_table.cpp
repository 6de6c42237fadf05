// SPDX-License-Identifier: MIT
// Formats text tables.
#include "app/output/summary/text_table.h"

#include "scenario/files/number_text.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace helioray {

namespace {

std::string padded(const std::string& text, std::size_t width, Align align) {
    const std::string blanks(width - std::min(width, text_width(text)), ' ');
    return align == Align::left ? text + blanks : blanks + text;
}

void add_line(std::string& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
}

}  // namespace

TextTable::TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
    if (cells.size() != columns_.size()) throw std::logic_error("table row of another length");
    rows_.push_back(std::move(cells));
}

std::string TextTable::str() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t width = text_width(columns_[c].header);
        for (const auto& row : rows_) width = std::max(width, text_width(row[c]));
        widths.push_back(width);
    }

    std::string out;
    std::string header;
    std::string rule;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        header += "  " + padded(columns_[c].header, widths[c], columns_[c].align);
        rule += "  " + std::string(widths[c], '-');
    }
    add_line(out, header);
    add_line(out, rule);
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            line += "  " + padded(row[c], widths[c], columns_[c].align);
        }
        add_line(out, line);
    }
    return out;
}

std::string key_value_lines(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::size_t width = 0;
    for (const auto& [key, value] : pairs) width = std::max(width, text_width(key));
    std::string out;
    for (const auto& [key, value] : pairs) {
        if (!value.empty()) add_line(out, "  " + padded(key, width, Align::left) + "  " + value);
    }
    return out;
}

}  // namespace helioray
