// SPDX-License-Identifier: MIT
// Formats limits.
#include "scenario/types/range.h"

#include <fmt/format.h>

namespace helioray {

std::string limit_text(double value) {
    constexpr size_t kLongest = 5;
    std::string digits = fmt::format("{}", value);
    const bool power_of_ten =
        digits.front() == '1' && digits.find_first_not_of('0', 1) == std::string::npos;
    if (digits.size() <= kLongest || !power_of_ten) return digits;
    return fmt::format("1e{}", digits.size() - 1);
}

std::string Range::text() const {
    return fmt::format("{}{} {} {}",
                       open_low ? "above " : "",
                       limit_text(low),
                       open_high ? (open_low ? "and below" : "to below") : "to",
                       limit_text(high));
}

std::string Range::sentence() const {
    return (open_low ? "" : "from ") + text();
}

}  // namespace helioray
