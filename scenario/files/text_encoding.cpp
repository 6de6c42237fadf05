// SPDX-License-Identifier: MIT
// Converts UTF-8, markup and base64.
#include "scenario/files/text_encoding.h"

#include <algorithm>
#include <cstdint>

namespace helioray {

namespace {

// Returns the length of the UTF-8 sequence at the start of `bytes`, 0 if it is not valid.
std::size_t sequence_length(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes[0]);
    const std::size_t length = first < 0x80                     ? 1
                               : first >= 0xC2 && first < 0xE0  ? 2
                               : first >= 0xE0 && first < 0xF0  ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    if (length == 0 || bytes.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(bytes[i]) & 0xC0U) != 0x80U) return 0;
    }
    return length;
}

}  // namespace

std::string valid_utf8(const std::string& text, ControlCharacters control) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(std::string_view(text).substr(i));
        const bool layout =
            control == ControlCharacters::keep_layout && (text[i] == '\n' || text[i] == '\t');
        const bool printable =
            length > 1 || layout || (length == 1 && text[i] >= ' ' && text[i] != 0x7F);
        out += printable ? text.substr(i, length) : "?";
        i += std::max<std::size_t>(1, length);
    }
    return out;
}

std::string markup_text(const std::string& text) {
    std::string out;
    for (const char c : valid_utf8(text, ControlCharacters::keep_layout)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string csv_cell(const std::string& text) {
    // Readers take '#' for a comment, and remove blanks around a cell.
    constexpr const char* kBlanks = " \t";
    const bool is_plain = text.empty() || (text.find_first_of(",\"\r\n#") == std::string::npos &&
                                           text.find_first_of(kBlanks) != 0 &&
                                           text.find_last_of(kBlanks) != text.size() - 1);
    if (is_plain) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string trimmed(std::string_view text, std::string_view blanks) {
    const size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::string base64(std::string_view bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group <<= 8U;
            if (i + k < bytes.size()) group |= static_cast<unsigned char>(bytes[i + k]);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            const bool padding = i + k > bytes.size();
            text += padding ? '=' : kDigits[group >> (18U - 6U * k) & 63U];
        }
    }
    return text;
}

}  // namespace helioray
