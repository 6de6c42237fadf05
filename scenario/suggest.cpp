// SPDX-License-Identifier: MIT
// Nearest names by edit distance.
#include "scenario/suggest.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace helioray {

size_t edit_distance(const std::string& a, const std::string& b) {
    // Three rows of the distance table: a swap of neighbours looks two rows back.
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
        // Short names need more in common: one edit up to five characters, then one in three.
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
