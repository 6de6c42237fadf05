// SPDX-License-Identifier: MIT
// Formats durations, ranks and texts of other processes.
#include "distributed/launch/message_text.h"

#include <sstream>

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

std::string make_printable(const std::string& text, std::size_t max_bytes) {
    std::string printable;
    for (const char c : text.substr(0, max_bytes))
        printable += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return text.size() > max_bytes ? printable + "..." : printable;
}

}  // namespace helioray::detail
