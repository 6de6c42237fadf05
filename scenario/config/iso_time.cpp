// SPDX-License-Identifier: MIT
// ISO 8601 by position.
#include "scenario/config/iso_time.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

namespace helioray {

namespace {

/// Reads a text from left to right.
class Scanner {
  public:
    explicit Scanner(const std::string& text) : text_(text) {}

    bool at_end() const { return position_ == text_.size(); }
    char peek() const { return at_end() ? '\0' : text_[position_]; }
    bool skip(char c) {
        if (peek() != c) return false;
        ++position_;
        return true;
    }
    /// Exactly `count` digits as a number.
    std::optional<int> digits(int count) {
        int value = 0;
        for (int i = 0; i < count; ++i) {
            const char c = peek();
            if (c < '0' || c > '9') return std::nullopt;
            value = 10 * value + (c - '0');
            ++position_;
        }
        return value;
    }
    std::string any_digits() {
        std::string found;
        while (peek() >= '0' && peek() <= '9') found += text_[position_++];
        return found;
    }

  private:
    const std::string& text_;
    size_t position_ = 0;
};

IsoTime failed(const std::string& error) {
    return {"", error};
}

}  // namespace

IsoTime parse_iso_time(const std::string& text) {
    Scanner scan(text);
    const IsoTime malformed = failed("is not an ISO 8601 date and time");

    // Date.
    const auto year = scan.digits(4);
    const bool dash1 = scan.skip('-');
    const auto month = scan.digits(2);
    const bool dash2 = scan.skip('-');
    const auto day = scan.digits(2);
    if (!year || !dash1 || !month || !dash2 || !day) return malformed;
    if (scan.at_end()) return failed("has a date but no time of day");
    if (!scan.skip('T') && !scan.skip('t') && !scan.skip(' ')) return malformed;

    // Time of day.
    const auto hour = scan.digits(2);
    const bool colon = scan.skip(':');
    const auto minute = scan.digits(2);
    if (!hour || !colon || !minute) return malformed;
    std::optional<int> second = 0;
    std::string fraction;
    if (scan.skip(':')) {
        second = scan.digits(2);
        if (!second) return malformed;
        if (scan.skip('.')) {
            fraction = scan.any_digits();
            if (fraction.empty()) return malformed;
        }
    }

    // Offset from UTC.
    if (scan.at_end()) return failed("has no offset from UTC");
    char sign = '+';
    std::optional<int> offset_hour = 0;
    std::optional<int> offset_minute = 0;
    if (!scan.skip('Z') && !scan.skip('z')) {
        sign = scan.peek();
        if (!scan.skip('+') && !scan.skip('-')) return malformed;
        offset_hour = scan.digits(2);
        if (!scan.at_end()) {
            scan.skip(':');
            offset_minute = scan.digits(2);
        }
        if (!offset_hour || !offset_minute) return malformed;
    }
    if (!scan.at_end()) return malformed;

    // Do the numbers exist on a calendar and a clock?
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return failed("names a day that does not exist");
    if (*hour > 23 || *minute > 59 || *second > 59)
        return failed("names a time of day that does not exist");
    if (*offset_hour > 14 || *offset_minute > 59)
        return failed("has an impossible offset from UTC");
    return {fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}{}{:02}:{:02}",
                        *year,
                        *month,
                        *day,
                        *hour,
                        *minute,
                        *second,
                        fraction.empty() ? "" : ".",
                        fraction,
                        sign,
                        *offset_hour,
                        *offset_minute),
            ""};
}

}  // namespace helioray
