// SPDX-License-Identifier: MIT
// Formatting of input problems.
#include "scenario/error.h"

#include <fmt/format.h>

#include <utility>

namespace helioray {

namespace {

/// Names and values of damaged or foreign files may hold line ends, zeros and escape sequences of
/// terminals.
std::string without_control_characters(const std::string& text) {
    constexpr unsigned char kFirstPrintable = 0x20;
    constexpr unsigned char kDelete = 0x7f;
    std::string clean;
    clean.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            clean += "\\n";
        } else if (byte < kFirstPrintable || byte == kDelete) {
            clean += fmt::format("\\x{:02x}", byte);
        } else {
            clean += c;
        }
    }
    return clean;
}

/// A damaged file may hold a name of megabytes; the longest path and what is said about it fit.
std::string shortened(const std::string& text) {
    constexpr size_t kMostCharacters = 16'384;
    constexpr size_t kEnd = 512;
    if (text.size() <= kMostCharacters) return text;
    return text.substr(0, kMostCharacters - kEnd) + " ... " + text.substr(text.size() - kEnd);
}

}  // namespace

std::string to_string(const Problem& problem) {
    std::string text = problem.where.empty() ? problem.what : problem.where + ": " + problem.what;
    if (!problem.why.empty()) text += " (" + problem.why + ")";
    if (!problem.advice.empty()) text += "; " + problem.advice;
    return without_control_characters(shortened(text));
}

namespace {

std::string join(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        if (!text.empty()) text += '\n';
        text += to_string(problem);
    }
    return text;
}

}  // namespace

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems)) {}

}  // namespace helioray
