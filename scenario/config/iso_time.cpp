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
    IsoTime malformed = failed("is not an ISO 8601 date and time");

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

namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

std::int64_t number_at(const std::string& text, size_t begin, size_t count) {
    return std::stoll(text.substr(begin, count));
}

/// "+HH:MM" at the end, in milliseconds.
std::int64_t offset_of_time(const std::string& normalised) {
    const size_t at = normalised.size() - 6;
    const std::int64_t minutes =
        60 * number_at(normalised, at + 1, 2) + number_at(normalised, at + 4, 2);
    return (normalised[at] == '-' ? -minutes : minutes) * kMinute;
}

}  // namespace

std::int64_t milliseconds_of(const std::string& normalised) {
    const std::chrono::year_month_day date{
        std::chrono::year(static_cast<int>(number_at(normalised, 0, 4))),
        std::chrono::month(static_cast<unsigned>(number_at(normalised, 5, 2))),
        std::chrono::day(static_cast<unsigned>(number_at(normalised, 8, 2)))};
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    std::int64_t time = days * kDay + 60 * number_at(normalised, 11, 2) * kMinute +
                        number_at(normalised, 14, 2) * kMinute +
                        number_at(normalised, 17, 2) * kSecond;
    if (normalised[19] == '.') {
        const size_t digits = normalised.size() - 6 - 20;
        time += std::stoll((normalised.substr(20, digits) + "00").substr(0, 3));
    }
    return time - offset_of_time(normalised);
}

std::string iso_time_at(std::int64_t milliseconds, const std::string& offset_of) {
    const std::int64_t local = milliseconds + offset_of_time(offset_of);
    // Rounded towards the past, also before 1970.
    const std::int64_t day = local / kDay - (local % kDay < 0 ? 1 : 0);
    const std::int64_t time = local - day * kDay;
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
    const std::int64_t fraction = time % kSecond;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}",
                       static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()),
                       time / (60 * kMinute),
                       time / kMinute % 60,
                       time / kSecond % 60,
                       fraction == 0 ? "" : fmt::format(".{:03}", fraction),
                       offset_of.substr(offset_of.size() - 6));
}

}  // namespace helioray
