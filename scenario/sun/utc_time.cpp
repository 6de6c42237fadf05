// SPDX-License-Identifier: MIT
// Reading of ISO 8601 times, Julian days, delta T.
#include "scenario/sun/utc_time.h"

#include "scenario/error.h"

#include <chrono>
#include <initializer_list>
#include <optional>
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

/// Takes pieces off the front of a text; what does not fit stays.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }
    bool at_digit() const { return !at_end() && rest_.front() >= '0' && rest_.front() <= '9'; }

    /// Next character if it is one of these, else 0.
    char any_of(std::string_view characters) {
        if (at_end() || characters.find(rest_.front()) == std::string_view::npos) return 0;
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    /// Exactly so many digits; false where there are fewer.
    bool digits(int count, int& value) {
        value = 0;
        for (; count > 0 && at_digit(); --count) value = 10 * value + (any_of("0123456789") - '0');
        return count == 0;
    }
    /// At least one digit after a decimal point.
    bool decimals(double& fraction) {
        if (!at_digit()) return false;
        for (double unit = 0.1; at_digit(); unit *= 0.1)
            fraction += unit * (any_of("0123456789") - '0');
        return true;
    }

  private:
    std::string_view rest_;
};

/// What stands in a text, not yet checked against its ranges.
struct Fields {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    double fraction = 0.0;  ///< of a second
    bool has_offset = false;
    int offset_sign = 1, offset_hour = 0, offset_minute = 0;
};

/// Nothing where the text has another form.
std::optional<Fields> scan(std::string_view text) {
    Scanner in(text);
    Fields f;
    const bool date = in.digits(4, f.year) && in.any_of("-") && in.digits(2, f.month) &&
                      in.any_of("-") && in.digits(2, f.day);
    const bool time = date && in.any_of("Tt ") && in.digits(2, f.hour) && in.any_of(":") &&
                      in.digits(2, f.minute);
    if (!time) return {};
    if (in.any_of(":")) {
        if (!in.digits(2, f.second)) return {};
        if (in.any_of(".,") && !in.decimals(f.fraction)) return {};
    }
    if (in.at_end()) return f;

    // The offset: Z, or a sign with hours and perhaps minutes.
    f.has_offset = true;
    in.any_of(" ");
    if (const char sign = in.any_of("+-Zz"); sign == '+' || sign == '-') {
        f.offset_sign = sign == '-' ? -1 : 1;
        if (!in.digits(2, f.offset_hour)) return {};
        const bool colon = in.any_of(":") != 0;
        if ((colon || in.at_digit()) && !in.digits(2, f.offset_minute)) return {};
    } else if (sign == 0) {
        return {};
    }
    if (!in.at_end()) return {};
    return f;
}

/// Polynomial with the coefficients from the constant upwards.
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
    const std::optional<Fields> scanned = scan(text);
    if (!scanned) fail(where, text, "is not an ISO 8601 date and time");
    const Fields& f = *scanned;
    if (!f.has_offset)
        fail(where,
             text,
             "has no offset from UTC",
             "an hour decides 15 degrees of the sun's path, so no time zone is assumed");
    if (f.year < kFirstYear || f.year > kLastYear)
        fail(where,
             text,
             "lies outside of " + std::to_string(kFirstYear) + " to " + std::to_string(kLastYear),
             "the Earth's rotation is known well enough only there");
    const std::chrono::year_month_day date = std::chrono::year(f.year) / f.month / f.day;
    if (!date.ok()) fail(where, text, "names a day that does not exist");
    if (f.hour > 23 || f.minute > 59 || f.second > 59)
        fail(where, text, "names a time of day that does not exist", "00:00:00 to 23:59:59");
    if (f.offset_minute > 59 || 60 * f.offset_hour + f.offset_minute > 14 * 60)
        fail(where, text, "has an offset that no place has", "at most 14 hours");

    const double clock = 3600.0 * f.hour + 60.0 * f.minute + f.second + f.fraction;
    const double offset = f.offset_sign * (3600.0 * f.offset_hour + 60.0 * f.offset_minute);
    return utc_time(f.year, f.month, f.day, clock - offset);
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
