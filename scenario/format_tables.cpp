// SPDX-License-Identifier: MIT
// Tables as aligned plain text.
#include "scenario/describe.h"

#include <algorithm>

namespace helioray {

namespace {

// Characters on the screen: bytes that do not continue a UTF-8 sequence.
size_t display_width(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

void append_row(std::string& text,
                const std::vector<std::string>& cells,
                const std::vector<size_t>& widths) {
    text += "  ";
    for (size_t i = 0; i < cells.size(); ++i) {
        text += cells[i];
        if (i + 1 < cells.size()) text.append(widths[i] - display_width(cells[i]) + 2, ' ');
    }
    while (text.back() == ' ') text.pop_back();
    text += '\n';
}

}  // namespace

std::string format_tables(const std::vector<Table>& tables) {
    std::string text;
    for (const Table& table : tables) {
        std::vector<size_t> widths;
        const auto widen = [&](const std::vector<std::string>& cells) {
            widths.resize(std::max(widths.size(), cells.size()), 0);
            for (size_t i = 0; i < cells.size(); ++i) {
                widths[i] = std::max(widths[i], display_width(cells[i]));
            }
        };
        widen(table.headers);
        for (const auto& row : table.rows) widen(row);

        if (!text.empty()) text += '\n';
        text += table.title + '\n';
        if (!table.headers.empty()) {
            append_row(text, table.headers, widths);
            std::vector<std::string> rules;
            for (size_t i = 0; i < table.headers.size(); ++i) rules.emplace_back(widths[i], '-');
            append_row(text, rules, widths);
        }
        for (const auto& row : table.rows) append_row(text, row, widths);
    }
    return text;
}

}  // namespace helioray
