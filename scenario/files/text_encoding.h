// SPDX-License-Identifier: MIT
// Text that other formats accept: clean UTF-8, escaped markup, bytes as base64.
#pragma once

#include <string>
#include <string_view>

namespace helioray {

enum class ControlCharacters {
    replace,      ///< every one becomes '?'
    keep_layout,  ///< but line feeds and tabs stay
};

/// The text with '?' for bytes that are not UTF-8 and for control characters.
std::string valid_utf8(const std::string& text,
                       ControlCharacters control = ControlCharacters::replace);

/// Clean UTF-8 with & < > " ' escaped: content of elements and of quoted attributes in HTML and
/// XML. Line feeds and tabs stay.
std::string markup_text(const std::string& text);

/// A cell of a table of comma-separated values: in quotes where it has a separator (RFC 4180),
/// '#' or blanks around the text.
std::string csv_cell(const std::string& text);

/// Base64 of RFC 4648, with padding, in one line.
std::string base64(std::string_view bytes);

}  // namespace helioray
