// SPDX-License-Identifier: MIT
// Reads ISO 8601 times; computes Julian days and delta T.
#include "scenario/types/utc_time.h"

#include "scenario/files/error.h"

#include <fmt/format.h>

#include <chrono>
#include <initializer_list>
#include <string_view>

namespace helioray {

namespace {

constexpr double kSecondsPerDay = 86400.0;
constexpr double kJulianDayOfUnixEpoch = 2440587.5;

[[noreturn]] void fail(const std::string& where,
                       const std::string& text,
                       const std::string& what,
                       const std::string& why = "") {
    throw InputError(
        Problem{where,
                "'" + text + "' " + what,
                why,
                "write a date, a time and its offset from UTC, as in 2026-06-21T12:00:00+02:00"});
}

/// Reads pieces from the front of a text.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }
    bool at_digit() const { return !at_end() && rest_.front() >= '0' && rest_.front() <= '9'; }

    /// Returns the next character and skips it if it is one of these; otherwise 0.
    char any_of(std::string_view characters) {
        if (at_end() || characters.find(rest_.front()) == std::string_view::npos) return 0;
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    /// Reads exactly `count` digits; returns false if there are fewer.
    bool digits(int count, int& value) {
        value = 0;
        for (; count > 0 && at_digit(); --count) value = 10 * value + (any_of("0123456789") - '0');
        return count == 0;
    }
    std::string any_digits() {
        std::string found;
        while (at_digit()) found += any_of("0123456789");
        return found;
    }

  private:
    std::string_view rest_;
};

/// A date and time of day with its offset from UTC.
struct Fields {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    std::string decimals;  ///< digits of the fraction of a second
    char offset_sign = '+';
    int offset_hour = 0, offset_minute = 0;
    const char* error = "";  ///< reason why the text is not a valid time; empty if it is
};

constexpr const char* kNoTime = "is not an ISO 8601 date and time";
constexpr const char* kNoOffset = "has no offset from UTC";

/// Returns the reason why the numbers do not exist on a calendar and a clock; empty if they do.
const char* find_error(const Fields& f) {
    const std::chrono::year_month_day date = std::chrono::year(f.year) / f.month / f.day;
    if (!date.ok()) return "names a day that does not exist";
    if (f.hour > 23 || f.minute > 59 || f.second > 59)
        return "names a time of day that does not exist";
    if (f.offset_minute > 59 || 60 * f.offset_hour + f.offset_minute > 14 * 60)
        return "has an impossible offset from UTC";
    return "";
}

// Written by hand, because std::chrono::parse is missing in the standard libraries of GCC 12 and
// clang 14, and a library would not give the reasons for messages.
Fields scan(std::string_view text) {
    Scanner in(text);
    Fields f;
    const auto failed = [&f](const char* error) {
        f.error = error;
        return f;
    };
    const bool date = in.digits(4, f.year) && in.any_of("-") && in.digits(2, f.month) &&
                      in.any_of("-") && in.digits(2, f.day);
    if (!date) return failed(kNoTime);
    if (in.at_end()) return failed("has a date but no time of day");
    const bool time =
        in.any_of("Tt ") && in.digits(2, f.hour) && in.any_of(":") && in.digits(2, f.minute);
    if (!time) return failed(kNoTime);
    if (in.any_of(":")) {
        if (!in.digits(2, f.second)) return failed(kNoTime);
        if (in.any_of(".,")) {
            f.decimals = in.any_digits();
            if (f.decimals.empty()) return failed(kNoTime);
        }
    }
    if (in.at_end()) return failed(kNoOffset);

    // Read the offset: Z, or a sign with hours and optional minutes.
    in.any_of(" ");
    if (const char sign = in.any_of("+-Zz"); sign == '+' || sign == '-') {
        f.offset_sign = sign;
        if (!in.digits(2, f.offset_hour)) return failed(kNoTime);
        const bool colon = in.any_of(":") != 0;
        if ((colon || in.at_digit()) && !in.digits(2, f.offset_minute)) return failed(kNoTime);
    } else if (sign == 0) {
        return failed(kNoTime);
    }
    if (!in.at_end()) return failed(kNoTime);
    f.error = find_error(f);
    return f;
}

/// Evaluates a polynomial with the coefficients from the constant upwards.
double polynomial(double t, std::initializer_list<double> coefficients) {
    double value = 0.0;
    for (auto c = std::rbegin(coefficients); c != std::rend(coefficients); ++c)
        value = value * t + *c;
    return value;
}

}  // namespace

UtcTime utc_time(int year, int month, int day, double seconds_of_day) {
    using namespace std::chrono;
    const sys_days date = std::chrono::year(year) / month / day;
    const double days =
        static_cast<double>(date.time_since_epoch().count()) + seconds_of_day / kSecondsPerDay;
    return {kJulianDayOfUnixEpoch + days, year + (month - 0.5) / 12.0};
}

UtcTime parse_iso8601(const std::string& text, const std::string& where) {
    const Fields f = scan(text);
    const std::string_view error = f.error;
    if (error == kNoOffset)
        fail(where,
             text,
             f.error,
             "an hour decides 15 degrees of the sun's path, so no time zone is assumed");
    if (!error.empty()) fail(where, text, f.error);
    if (f.year < kFirstYear || f.year > kLastYear)
        fail(where,
             text,
             "lies outside of " + std::to_string(kFirstYear) + " to " + std::to_string(kLastYear),
             "the Earth's rotation is known well enough only there");

    double fraction = 0.0, unit = 0.1;
    for (const char digit : f.decimals) {
        fraction += unit * (digit - '0');
        unit *= 0.1;
    }
    const double clock = 3600.0 * f.hour + 60.0 * f.minute + f.second + fraction;
    const double offset = 3600.0 * f.offset_hour + 60.0 * f.offset_minute;
    return utc_time(f.year, f.month, f.day, clock - (f.offset_sign == '-' ? -offset : offset));
}

IsoTime parse_iso_time(const std::string& text) {
    const Fields f = scan(text);
    if (*f.error != '\0') return {"", f.error};
    return {fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}{}{:02}:{:02}",
                        f.year,
                        f.month,
                        f.day,
                        f.hour,
                        f.minute,
                        f.second,
                        f.decimals.empty() ? "" : ".",
                        f.decimals,
                        f.offset_sign,
                        f.offset_hour,
                        f.offset_minute),
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

/// Returns the "+HH:MM" at the end in milliseconds.
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
    // Round towards the past, also before 1970.
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

double delta_t(double decimal_year) {
    const double y = decimal_year;
    const double centuries = (y - 1820.0) / 100.0;
    const double parabola = -20.0 + 32.0 * centuries * centuries;
    if (y < 1900.0) return parabola;
    if (y < 1920.0)
        return polynomial(y - 1900.0, {-2.79, 1.494119, -0.0598939, 0.0061966, -0.000197});
    if (y < 1941.0) return polynomial(y - 1920.0, {21.20, 0.84493, -0.076100, 0.0020936});
    if (y < 1961.0) return polynomial(y - 1950.0, {29.07, 0.407, -1.0 / 233.0, 1.0 / 2547.0});
    if (y < 1986.0) return polynomial(y - 1975.0, {45.45, 1.067, -1.0 / 260.0, -1.0 / 718.0});
    if (y < 2005.0)
        return polynomial(y - 2000.0,
                          {63.86, 0.3345, -0.060374, 0.0017275, 0.000651814, 0.00002373599});
    if (y < 2050.0) return polynomial(y - 2000.0, {62.92, 0.32217, 0.005589});
    if (y < 2150.0) return parabola - 0.5628 * (2150.0 - y);
    return parabola;
}

}  // namespace helioray
