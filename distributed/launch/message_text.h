// SPDX-License-Identifier: MIT
// Pieces of text for messages about ranks.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace helioray::detail {

/// Returns a duration for messages: "3 s", "1.5 s".
std::string format_seconds(std::chrono::milliseconds time);

/// Returns a list of ranks for messages: "0", "0 and 2", "0, 1 and 5 more".
std::string list_ranks(const std::vector<int>& ranks);

/// Returns a text of another process in a form that is safe to print: replaces control characters,
/// marks that change the direction of text, and bytes that are not UTF-8 by '?', and truncates the
/// text after `max_bytes` bytes.
std::string make_printable(const std::string& text, std::size_t max_bytes = 400);

}  // namespace helioray::detail
