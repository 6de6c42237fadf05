// SPDX-License-Identifier: MIT
// ISO 8601 times, Julian days, delta T.
#include "scenario/files/error.h"
#include "scenario/types/utc_time.h"
#include "tests/support/catch2.h"

#include <array>
#include <string>
#include <vector>

using namespace helioray;

namespace {

double day_of(const std::string& text) {
    return parse_iso8601(text).julian_day;
}

auto near(double value, double margin) {
    return Approx(value).margin(margin).epsilon(0);
}

}  // namespace

TEST_CASE("Julian days of known instants") {
    CHECK(day_of("2000-01-01T12:00:00Z") == 2451545.0);
    CHECK(day_of("1999-01-01T00:00:00Z") == 2451179.5);
    CHECK(day_of("1987-01-27T00:00:00Z") == 2446822.5);
    CHECK(day_of("1988-06-19T12:00:00Z") == 2447332.0);
    CHECK(day_of("1900-01-01T00:00:00Z") == 2415020.5);
    CHECK(day_of("2003-10-17T12:30:30-07:00") == near(2452930.312847, 5e-7));
}

TEST_CASE("Times of one instant in all accepted forms") {
    const double expected = day_of("2026-06-21T10:00:00Z");
    for (const std::string text : {"2026-06-21T12:00:00+02:00",
                                   "2026-06-21 12:00:00+02:00",
                                   "2026-06-21 12:00:00 +02:00",
                                   "2026-06-21T12:00+02",
                                   "2026-06-21T12:00:00.000+0200",
                                   "2026-06-21t10:00:00z",
                                   "2026-06-21T10:00:00,0Z",
                                   "2026-06-21T10:00Z",
                                   "2026-06-21T00:00:00-10:00",
                                   "2026-06-22T00:00:00+14:00",
                                   "2026-06-21T04:30:00-05:30"}) {
        CAPTURE(text);
        CHECK(day_of(text) == near(expected, 1e-9));
    }
    CHECK((day_of("2026-06-21T10:00:00.25Z") - expected) * 86400.0 == near(0.25, 1e-4));
    CHECK(day_of("2026-01-01T01:00:00+02:00") < day_of("2026-01-01T00:00:00Z"));
    CHECK(day_of("2024-02-29T00:00:00Z") == day_of("2024-02-28T00:00:00Z") + 1.0);
}

TEST_CASE("A time without offset is refused with its reason") {
    CHECK_THROWS_AS(parse_iso8601("2026-06-21T12:00:00"), InputError);
    CHECK_THROWS_WITH(parse_iso8601("2026-06-21T12:00:00"),
                      ContainsSubstring("no offset from UTC"));
    CHECK_THROWS_WITH(parse_iso8601("2026-06-21 12:00", "a.yaml:3: sun.time"),
                      ContainsSubstring("a.yaml:3: sun.time: '2026-06-21 12:00'"));
}

TEST_CASE("Times that do not exist are refused") {
    for (const std::string text : {"",
                                   "noon",
                                   "2026-06-21",
                                   "2026-06-21Z",
                                   "2026-6-21T12:00:00Z",
                                   "2026-06-21T12Z",
                                   "2026-06-21T12:00:00Z ",
                                   "2026-06-21  12:00:00Z",
                                   "2026-06-21T12:00:00.Z",
                                   "2026-00-21T12:00:00Z",
                                   "2026-13-21T12:00:00Z",
                                   "2026-06-00T12:00:00Z",
                                   "2026-06-31T12:00:00Z",
                                   "2025-02-29T12:00:00Z",
                                   "2100-02-29T12:00:00Z",
                                   "2026-06-21T24:00:00Z",
                                   "2026-06-21T12:60:00Z",
                                   "2026-06-21T12:00:60Z",
                                   "2026-06-21T12:00:00+14:01",
                                   "2026-06-21T12:00:00+01:60",
                                   "2026-06-21T12:00:00+2",
                                   "2026-06-21T12:00:00+02:",
                                   "2026-06-21T12:00:00+02:0",
                                   "2026-06-21T12:00:00+020",
                                   "2026-06-21T12:00:00ZZ",
                                   "2026-06-21T12:00:00 ",
                                   "2026-06-21T12:00:Z",
                                   "2026-06-21T12:0Z",
                                   "-2026-06-21T12:00Z",
                                   "1899-12-31T23:59:59Z",
                                   "2151-01-01T00:00:00Z",
                                   "12026-06-21T12:00:00Z"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_iso8601(text), InputError);
    }
}

TEST_CASE("Delta T follows the observations") {
    // Observed at the start of the year, seconds.
    const std::vector<std::array<double, 2>> observed{{1900, -2.72},
                                                      {1920, 21.16},
                                                      {1940, 24.33},
                                                      {1960, 33.15},
                                                      {1975, 45.48},
                                                      {1990, 56.86},
                                                      {2000, 63.83},
                                                      {2010, 66.07}};
    for (const auto& [year, seconds] : observed) {
        CAPTURE(year);
        CHECK(delta_t(year) == near(seconds, 0.9));
    }
    CHECK(delta_t(2026.0) == near(69.1, 7.0));
    // No jumps where the pieces meet.
    for (double year : {1920.0, 1941.0, 1961.0, 1986.0, 2005.0, 2050.0, 2150.0})
        CHECK(delta_t(year) == near(delta_t(year - 1e-6), 0.25));
}
