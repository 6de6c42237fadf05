// SPDX-License-Identifier: MIT
// Instants: ISO 8601 text, Julian days and the difference between terrestrial and universal time.
#pragma once

#include <cstdint>
#include <string>

namespace helioray {

/// An instant in universal time. UTC is used as UT1; they differ by less than 0.9 s, in which the
/// sun moves 0.004 deg.
struct UtcTime {
    double julian_day = 0.0;  ///< days since noon of 1 January 4713 BC
    /// Year with a fraction, accurate to half a month, as required by delta_t().
    double decimal_year = 0.0;
};

inline constexpr int kFirstYear = 1900;  ///< First year of parse_iso8601() and utc_time()
inline constexpr int kLastYear = 2150;   ///< Last year of parse_iso8601() and utc_time()

/// Returns the instant of a date and time of the Gregorian calendar in UTC. seconds_of_day may be
/// outside [0, 86400). Precondition: a valid date.
UtcTime utc_time(int year, int month, int day, double seconds_of_day);

/// Reads "2026-06-21T12:00:00+02:00": date, "T" or one space, hh:mm with optional seconds and
/// decimals, then "Z" or an offset +hh:mm, +hhmm or +hh (at most 14 h). Every field is checked;
/// years must be in [kFirstYear, kLastYear]. Throws InputError at `where` for other texts, in
/// particular for a time without an offset.
UtcTime parse_iso8601(const std::string& text, const std::string& where = "sun.time");

/// A checked time, or the reason why a text is not a valid time.
struct IsoTime {
    std::string normalised;  ///< "YYYY-MM-DDTHH:MM:SS[.fraction]+HH:MM"; 'Z' becomes +00:00
    std::string error;  ///< empty if valid, otherwise a phrase such as "has no offset from UTC"
};

/// Parses the formats of parse_iso8601() without a limit of years.
IsoTime parse_iso_time(const std::string& text);

/// Returns the milliseconds since 1970-01-01T00:00:00Z of a normalised time; further decimals are
/// truncated.
std::int64_t milliseconds_of(const std::string& normalised);

/// Returns the normalised time at an instant, with the offset from UTC of another normalised time.
std::string iso_time_at(std::int64_t milliseconds, const std::string& offset_of);

/// Returns terrestrial time minus universal time in seconds: polynomials of F. Espenak and J.
/// Meeus, Five Millennium Canon of Solar Eclipses (2006). Accurate to 7 s until 2026; 7 s move the
/// sun by 0.0001 deg.
double delta_t(double decimal_year);

}  // namespace helioray
