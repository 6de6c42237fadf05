// SPDX-License-Identifier: MIT
// Formats durations, ranks and texts of other processes.
#include "distributed/launch/message_text.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace helioray::detail {

std::string format_seconds(std::chrono::milliseconds time) {
    std::ostringstream text;
    text << static_cast<double>(time.count()) / 1000.0 << " s";
    return text.str();
}

std::string list_ranks(const std::vector<int>& ranks) {
    constexpr std::size_t kListed = 8;
    std::string text;
    for (std::size_t i = 0; i < ranks.size() && i < kListed; ++i) {
        if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
        text += std::to_string(ranks[i]);
    }
    if (ranks.size() > kListed) text += " and " + std::to_string(ranks.size() - kListed) + " more";
    return text;
}

namespace {

/// Returns the number of bytes of the character that begins at `at`, and its code point; 0 bytes if
/// it is not valid UTF-8.
std::pair<std::size_t, char32_t> decode_utf8(const std::string& text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    if (first < 0x80) return {1, first};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {0, 0};
    char32_t code = first & (0x7fu >> length);
    for (std::size_t i = at + 1; i < at + length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {0, 0};
        code = code << 6 | (byte(i) & 0x3f);
    }
    // Longer encodings than necessary, surrogates, and numbers without a character.
    constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return {0, 0};
    return {length, code};
}

/// Returns true for characters that control a terminal or the direction of the text around them.
bool is_control(char32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace

std::string make_printable(const std::string& text, std::size_t max_bytes) {
    std::string printable;
    for (std::size_t at = 0; at < text.size();) {
        const auto [length, code] = decode_utf8(text, at);
        const bool prints = length > 0 && !is_control(code);
        if (printable.size() + (prints ? length : 1) > max_bytes) return printable + "...";
        printable += prints ? text.substr(at, length) : "?";
        at += std::max<std::size_t>(length, 1);
    }
    return printable;
}

}  // namespace helioray::detail
