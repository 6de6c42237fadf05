// SPDX-License-Identifier: MIT
// Collects problems and warnings.
#include "scenario/reader/read_log.h"

#include <fmt/format.h>

namespace helioray {

void ReadLog::problem(std::string where, std::string what, std::string why, std::string advice) {
    problems_.push_back({std::move(where), std::move(what), std::move(why), std::move(advice)});
}

void ReadLog::warn(const std::string& where, const std::string& text) {
    const auto [position, added] = warning_index_.try_emplace(text, warnings_.size());
    if (added) warnings_.push_back({where, text, 0});
    ++warnings_[position->second].count;
}

void ReadLog::throw_if_any() const {
    if (!problems_.empty()) throw InputError(problems_);
}

std::vector<std::string> ReadLog::warnings() const {
    std::vector<std::string> lines;
    for (const Warning& warning : warnings_) {
        const std::string more =
            warning.count > 1 ? fmt::format(" (and {} more)", warning.count - 1) : "";
        lines.push_back(fmt::format("{}: {}{}", warning.where, warning.text, more));
    }
    return lines;
}

}  // namespace helioray
