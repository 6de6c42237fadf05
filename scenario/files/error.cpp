// SPDX-License-Identifier: MIT
// Formats messages in one line and computes distances between names.
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <utility>

namespace helioray {

namespace {

/// Returns the text with control characters as escape sequences. Names and values of damaged or
/// foreign files may contain line ends, zeros and escape sequences of terminals.
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

/// Returns the text cut to a length that fits the longest path with its message. A damaged file may
/// contain a name of megabytes.
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

/// Returns a text that is equal for problems of one kind in one file: numbers and quoted values are
/// left out.
std::string kind(const Problem& problem) {
    std::string text = problem.why + '\n' + problem.advice + '\n';
    bool is_quoted = false;
    for (const char c : problem.where + ": " + problem.what) {
        if (c == '\'') is_quoted = !is_quoted;
        const bool is_number = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
        if (!is_quoted && !is_number) text += c;
    }
    return text;
}

/// Writes a line for each problem, but only the first few of a kind: a table with a wrong separator
/// has the same problem in every row.
std::string join(const std::vector<Problem>& problems) {
    constexpr size_t kMostOfKind = 5;
    constexpr size_t kMostLines = 50;
    struct Kind {
        size_t count = 0, shown = 0;
    };
    std::map<std::string, Kind> kinds;
    std::vector<Kind*> kind_of;
    for (const Problem& problem : problems) {
        kind_of.push_back(&kinds[kind(problem)]);
        ++kind_of.back()->count;
    }
    std::string text;
    size_t lines = 0, left = problems.size();
    for (size_t i = 0; i < problems.size(); ++i) {
        Kind& own = *kind_of[i];
        if (own.shown == kMostOfKind) continue;
        if (lines == kMostLines) break;
        ++lines;
        ++own.shown;
        --left;
        if (!text.empty()) text += '\n';
        text += to_string(problems[i]);
        const size_t more = own.count - std::min(own.count, kMostOfKind);
        if (own.shown < kMostOfKind || more == 0) continue;
        text += fmt::format("\n... and {} more problem{} like this", more, more == 1 ? "" : "s");
        left -= more;
    }
    if (left > 0) text += fmt::format("\n... and {} other problem{}", left, left == 1 ? "" : "s");
    return text;
}

}  // namespace

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems)) {}

size_t edit_distance(const std::string& a, const std::string& b) {
    // Three rows of the distance table are needed, because a swap of neighbours looks two rows
    // back.
    std::vector<size_t> before_last, last(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last = last;
        last = row;
    }
    return last[b.size()];
}

namespace {

std::string normalised(const std::string& name) {
    std::string text;
    for (const char c : name) {
        const int lower = std::tolower(static_cast<unsigned char>(c));
        text += c == '-' || c == ' ' ? '_' : static_cast<char>(lower);
    }
    return text;
}

std::string quoted_list(const std::vector<std::string>& names) {
    constexpr size_t kMost = 8;
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
        text += (i == 0 ? "'" : ", '") + names[i] + "'";
    }
    if (names.size() > kMost) text += ", ... (" + std::to_string(names.size()) + " in all)";
    return text;
}

}  // namespace

std::optional<std::string> closest(const std::string& wrong,
                                   const std::vector<std::string>& valid) {
    const std::string name = normalised(wrong);
    std::optional<std::string> best;
    size_t best_distance = std::numeric_limits<size_t>::max();
    for (const std::string& candidate : valid) {
        const std::string other = normalised(candidate);
        const bool continued = !name.empty() && other.starts_with(name + "_");
        const size_t distance = continued ? 1 : edit_distance(name, other);
        // Short names must match more closely: names up to five characters allow one edit, longer
        // names one in three characters.
        const size_t limit = std::max<size_t>(1, std::max(name.size(), other.size()) / 3);
        const bool nothing_in_common = distance >= std::max(name.size(), other.size());
        if (distance > limit || nothing_in_common || distance >= best_distance) continue;
        best = candidate;
        best_distance = distance;
    }
    return best;
}

std::string suggest(const std::string& wrong, const std::vector<std::string>& valid) {
    if (const auto name = closest(wrong, valid)) return "did you mean '" + *name + "'?";
    return valid.empty() ? "" : "valid: " + quoted_list(valid);
}

}  // namespace helioray
