// SPDX-License-Identifier: MIT
// Converts text for other formats: clean UTF-8, escaped markup, bytes as base64; and removes blanks
// around text.
#pragma once

#include <string>
#include <string_view>

namespace helioray {

enum class ControlCharacters {
    replace,      ///< replaces each control character by '?'
    keep_layout,  ///< replaces control characters except line feeds and tabs
};

/// Returns the text with '?' for bytes that are not UTF-8 and for control characters.
std::string valid_utf8(const std::string& text,
                       ControlCharacters control = ControlCharacters::replace);

/// Returns clean UTF-8 with & < > " ' escaped, for the content of elements and of quoted attributes
/// in HTML and XML. Line feeds and tabs stay.
std::string markup_text(const std::string& text);

/// Returns a cell of a table of comma-separated values. It is in quotes (RFC 4180) if the text
/// contains a separator or '#', or has blanks around it.
std::string csv_cell(const std::string& text);

/// Returns the text without the blanks at its beginning and end.
std::string trimmed(std::string_view text, std::string_view blanks = " \t\r");

/// Returns base64 of RFC 4648 with padding, in one line.
std::string base64(std::string_view bytes);

}  // namespace helioray
