// SPDX-License-Identifier: MIT
// Weather files of EnergyPlus.
#include "raytracer/studies/annual/weather/weather_formats.h"
#include "scenario/types/utc_time.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

using namespace helioray;

namespace {

std::string header(const std::string& periods = "DATA PERIODS,1,1,Data,Sunday, 1/ 1,12/31",
                   const std::string& zone = "5.5") {
    return "LOCATION,New Delhi,-,IND,ISHRAE,421820,28.58,77.20," + zone +
           ",216.0\r\n"
           "DESIGN CONDITIONS,0\r\nTYPICAL/EXTREME PERIODS,0\r\nGROUND TEMPERATURES,0\r\n"
           "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0\r\nCOMMENTS 1,\"5\" of rain, quoted\r\nCOMMENTS "
           "2,\r\n" +
           periods + "\r\n";
}

/// An hour whose direct normal radiation stands in column 15.
std::string row(int year, int month, int day, int hour, const std::string& dni) {
    return fmt::format("{},{},{},{},60,?9?9?9?9E0,7.1,6.5,96,98500,0,1415,302,11,{},13,0\r\n",
                       year,
                       month,
                       day,
                       hour,
                       dni);
}

WeatherContent read(const std::string& text) {
    return read_epw(text, "delhi.epw");
}

}  // namespace

TEST_CASE("Hours of an EPW file begin one hour before their number, in local standard time") {
    const std::string text =
        header() + row(1987, 1, 1, 1, "0") + row(1987, 1, 1, 12, "743") + row(1987, 1, 1, 24, "0");
    CHECK(is_epw(text));
    CHECK_FALSE(is_epw("time,dni_w_m2\n"));
    const WeatherContent found = read(text);
    CHECK(found.problems.empty());
    CHECK(found.notes.empty());
    REQUIRE(found.rows.size() == 3);
    CHECK(found.rows[0].time == "1987-01-01T00:00:00+05:30");
    CHECK(found.rows[1].time == "1987-01-01T11:00:00+05:30");
    CHECK(found.rows[1].dni == 743.0);
    REQUIRE(found.site);
    CHECK(found.site->latitude_deg == 28.58);
    CHECK(found.site->longitude_deg == 77.20);
    CHECK(found.rows[2].time == "1987-01-01T23:00:00+05:30");
    CHECK(found.rows[1].place == "delhi.epw:10");
    CHECK(read(header("DATA PERIODS,1,1,x", "-3.5") + row(1987, 7, 1, 2, "0")).rows[0].time ==
          "1987-07-01T01:00:00-03:30");
}

TEST_CASE("9999 and more is a missing value") {
    const WeatherContent found =
        read(header() + row(1987, 1, 1, 9, "9999") + row(1987, 1, 1, 10, "99999"));
    CHECK(found.problems.empty());
    REQUIRE(found.rows.size() == 2);
    CHECK_FALSE(found.rows[0].dni);
    CHECK_FALSE(found.rows[1].dni);
}

TEST_CASE("Every problem of an EPW file is named") {
    const WeatherContent found =
        read(header() + row(1987, 2, 30, 9, "1") + row(1987, 1, 1, 25, "1") +
             row(1987, 1, 1, 9, "x") + "1987,1,1,10\r\n");
    CHECK(found.rows.empty());
    REQUIRE(found.problems.size() == 4);
    CHECK(found.problems[0].where == "delhi.epw:9");
    CHECK_THAT(found.problems[0].what, ContainsSubstring("year, month, day and hour"));
    CHECK_THAT(found.problems[2].where, ContainsSubstring("column 15"));
    CHECK(found.problems[3].where == "delhi.epw:12");

    CHECK_THAT(read("LOCATION,a,b\nDATA PERIODS,1,1,x\n").problems.at(0).what,
               ContainsSubstring("no latitude"));
    CHECK_THAT(read(header("DATA PERIODS,1,4,Data")).problems.at(0).what,
               ContainsSubstring("several records per hour"));
    CHECK_THAT(read(header("COMMENTS")).problems.at(0).what, ContainsSubstring("DATA PERIODS"));
}
