// SPDX-License-Identifier: MIT
// Reading of ISO 8601 times, Julian days, delta T.
#include "scenario/sun/utc_time.h"

#include "scenario/error.h"

#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <regex>

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

/// Value of a matched run of digits; 0 for an optional field that is absent.
int integer(const std::ssub_match& match) {
    return match.matched ? std::atoi(match.str().c_str()) : 0;
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
    const double days = date.time_since_epoch().count() + seconds_of_day / kSecondsPerDay;
    return {kJulianDayOfUnixEpoch + days, year + (month - 0.5) / 12.0};
}

UtcTime parse_iso8601(const std::string& text, const std::string& where) {
    static const std::regex pattern(
        R"((\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2}(?:[.,]\d{1,9})?))?)"
        R"( ?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?)");
    std::smatch field;
    if (!std::regex_match(text, field, pattern))
        fail(where, text, "is not an ISO 8601 date and time");
    if (!field[7].matched && !field[8].matched)
        fail(where,
             text,
             "has no offset from UTC",
             "an hour decides 15 degrees of the sun's path, so no time zone is assumed");

    // Every field in its range.
    const int year = integer(field[1]), month = integer(field[2]), day = integer(field[3]);
    const int hour = integer(field[4]), minute = integer(field[5]);
    const int offset_hour = integer(field[9]), offset_minute = integer(field[10]);
    std::string second_text = field[6].matched ? field[6].str() : "0";
    if (second_text.size() > 2) second_text[2] = '.';
    const double second = std::stod(second_text);
    if (year < kFirstYear || year > kLastYear)
        fail(where,
             text,
             "lies outside of " + std::to_string(kFirstYear) + " to " + std::to_string(kLastYear),
             "the Earth's rotation is known well enough only there");
    const std::chrono::year_month_day date = std::chrono::year(year) / month / day;
    if (!date.ok()) fail(where, text, "names a day that does not exist");
    if (hour > 23 || minute > 59 || second >= 60.0)
        fail(where, text, "names a time of day that does not exist", "00:00:00 to 23:59:59");
    if (offset_minute > 59 || 60 * offset_hour + offset_minute > 14 * 60)
        fail(where, text, "has an offset of more than 14 hours");

    const double sign = field[8].matched && field[8].str() == "-" ? -1.0 : 1.0;
    const double offset = sign * (3600.0 * offset_hour + 60.0 * offset_minute);
    return utc_time(year, month, day, 3600.0 * hour + 60.0 * minute + second - offset);
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
