// SPDX-License-Identifier: MIT
// Years of sunlight against closed forms; weather files good and bad.
#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"
#include "tests/support/message_of.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <numbers>

using namespace helioray;

namespace {

constexpr double kObliquity = 23.44 * kRadiansPerDegree;

const Sky kUnit = [](double, int) { return 1.0; };

/// Seconds, or what f gives of the elevation, over the moments of a year of 1 W/m2.
template <typename Function>
double sum(const IrradianceYear& year, const Function& f) {
    double total = 0.0;
    for (const SunMoment& moment : year.moments) total += moment.insolation * f(moment);
    return total;
}

/// Mean over a circular orbit of a function of the declination.
template <typename Function>
double orbit_mean(const Function& f) {
    double total = 0.0;
    for (int i = 0; i < 1000; ++i)
        total += f(
            std::asin(std::sin(kObliquity) * std::sin(2.0 * std::numbers::pi * (i + 0.5) / 1000)));
    return total / 1000;
}

class WeatherFile {
  public:
    std::filesystem::path write(const std::string& text) {
        std::ofstream(path()) << text;
        return path();
    }
    std::filesystem::path path() const { return folder_.path() / "dni.csv"; }

  private:
    test::TemporaryFolder folder_;
};

/// Hours of one day from midnight UTC, each with an irradiance.
std::string hours_of_day(const std::string& day, double dni, int first = 0, int last = 23) {
    std::string text;
    for (int hour = first; hour <= last; ++hour)
        text += fmt::format("{}T{:02}:00:00Z,{}\n", day, hour, dni);
    return text;
}

constexpr const char* kHeader = "time,dni_w_m2\n";
const GeodeticPosition kAlmeria{37.1, -2.36, 500.0};

}  // namespace

TEST_CASE("At the equator the sun is up for half of the year and what refraction adds") {
    const IrradianceYear year = year_of_sky({0.0, 0.0, 0.0}, 2026, kUnit);
    const double hours = sum(year, [](const auto&) { return 1.0; }) / 3600.0;
    // 12 hours a day, and as long as the sun takes for the 0.5645 degrees by which the air lifts it
    // at the horizon, twice a day.
    const double lifted =
        365.0 * orbit_mean([](double declination) {
            return 24.0 / std::numbers::pi * 0.5645 * kRadiansPerDegree / std::cos(declination);
        });
    CHECK(hours == Approx(4380.0 + lifted).epsilon(5e-4));
}

TEST_CASE("Hours of a high sun at the equator") {
    const IrradianceYear year = year_of_sky({0.0, 20.0, 0.0}, 2026, kUnit);
    const double hours =
        sum(year,
            [](const auto& m) { return m.elevation > 30.0 * kRadiansPerDegree ? 1.0 : 0.0; }) /
        3600.0;
    const double expected =
        365.0 * orbit_mean([](double declination) {
            return 24.0 / std::numbers::pi *
                   std::acos(std::sin(30.0 * kRadiansPerDegree) / std::cos(declination));
        });
    CHECK(hours == Approx(expected).epsilon(2e-3));
}

TEST_CASE("Sunlight on level ground at the equator is an elliptic integral") {
    const IrradianceYear year = year_of_sky({0.0, -70.0, 0.0}, 2026, kUnit);
    const double energy = sum(year, [](const auto& m) { return m.direction[2]; });
    const double mean_cosine = 2.0 / std::numbers::pi * std::comp_ellint_2(std::sin(kObliquity));
    CHECK(energy == Approx(365.0 * 86400.0 / std::numbers::pi * mean_cosine).epsilon(2e-3));
}

TEST_CASE("Sunlight on level ground day by day, with Spencer's declination") {
    const double latitude = 50.9 * kRadiansPerDegree;
    const IrradianceYear year = year_of_sky({50.9, 6.4, 0.0}, 2026, kUnit);
    double expected = 0.0;
    for (int day = 1; day <= 365; ++day) {
        // J. W. Spencer, Search 2 (1971) 172.
        const double b = 2.0 * std::numbers::pi * (day - 0.5) / 365.0;
        const double declination = 0.006918 - 0.399912 * std::cos(b) + 0.070257 * std::sin(b) -
                                   0.006758 * std::cos(2 * b) + 0.000907 * std::sin(2 * b) -
                                   0.002697 * std::cos(3 * b) + 0.00148 * std::sin(3 * b);
        const double sunset = std::acos(-std::tan(latitude) * std::tan(declination));
        expected += 86400.0 / std::numbers::pi *
                    (std::cos(latitude) * std::cos(declination) * std::sin(sunset) +
                     sunset * std::sin(latitude) * std::sin(declination));
    }
    CHECK(sum(year, [](const auto& m) { return m.direction[2]; }) ==
          Approx(expected).epsilon(3e-3));
}

TEST_CASE("Months of a year have their days") {
    const IrradianceYear year = year_of_sky({0.0, 100.0, 0.0}, 2026, kUnit);
    const double day = sum(year, [](const auto&) { return 1.0; }) / 365.0;
    for (const auto& [month, days] : {std::pair{0, 31}, {1, 28}, {5, 30}, {11, 31}}) {
        const double seconds =
            sum(year, [&, m = month](const auto& moment) { return moment.month == m ? 1.0 : 0.0; });
        CHECK(seconds == Approx(days * day).epsilon(5e-3));
    }
}

TEST_CASE("A weather file keeps its energy and names what the night took") {
    WeatherFile file;
    file.write(kHeader + hours_of_day("2026-06-21", 100.0));
    const IrradianceYear year = weather_year(kAlmeria, file.path(), TimeStamp::start, 0);
    const double energy = sum(year, [](const auto&) { return 1.0; });
    CHECK(energy + year.dark_insolation == Approx(100.0 * 86400.0));
    // Sunrise 4:51, sunset 19:36 UTC: the hours of both belong to the day, eight are dark.
    CHECK(year.dark_insolation == Approx(100.0 * 3600.0 * 8.0));
    REQUIRE(year.notes.size() == 2);
    CHECK(year.notes[0].find("1.00 days") != std::string::npos);
    CHECK(year.notes[1].find("sun is down") != std::string::npos);
}

TEST_CASE("Small amounts at night are no remark") {
    WeatherFile file;
    file.write(kHeader + hours_of_day("2026-06-21", 0.4, 0, 4) +
               hours_of_day("2026-06-21", 500.0, 5, 18) + hours_of_day("2026-06-21", 0.0, 19, 23));
    const IrradianceYear year = weather_year(kAlmeria, file.path(), TimeStamp::start, 0);
    CHECK(year.dark_insolation > 0.0);
    for (const std::string& note : year.notes) CHECK(note.find("sun is down") == std::string::npos);
}

TEST_CASE("Times may stand for the end of the interval") {
    WeatherFile file;
    file.write(kHeader + hours_of_day("2026-06-21", 0.0, 0, 10) +
               hours_of_day("2026-06-21", 500.0, 11, 11) + hours_of_day("2026-06-21", 0.0, 12, 23));
    const auto mean_east = [&](TimeStamp stamp) {
        const IrradianceYear year = weather_year(kAlmeria, file.path(), stamp, 0);
        return sum(year, [](const auto& m) { return m.direction[0]; }) / (500.0 * 3600.0);
    };
    CHECK(mean_east(TimeStamp::end) > mean_east(TimeStamp::start) + 0.1);
}

TEST_CASE("Missing hours are named") {
    WeatherFile file;
    file.write(kHeader + hours_of_day("2026-06-21", 100.0, 0, 9) +
               hours_of_day("2026-06-21", 100.0, 13, 23));
    const IrradianceYear year = weather_year(kAlmeria, file.path(), TimeStamp::start, 0);
    CHECK(year.notes[0].find("3.0 hours are missing") != std::string::npos);
    CHECK(year.notes[0].find("2026-06-21T09:00:00") != std::string::npos);
}

TEST_CASE("Months of several years make one") {
    WeatherFile file;
    file.write(kHeader + hours_of_day("2008-01-31", 100.0) + hours_of_day("2003-02-01", 100.0));
    CHECK(test::message_of([&] {
              weather_year(kAlmeria, file.path(), TimeStamp::start, 0);
          }).find("--year") != std::string::npos);
    const IrradianceYear year = weather_year(kAlmeria, file.path(), TimeStamp::start, 2025);
    CHECK(year.moments.front().month == 0);
    CHECK(year.moments.back().month == 1);
    file.write(kHeader + hours_of_day("2008-02-29", 100.0));
    CHECK(test::message_of([&] {
              weather_year(kAlmeria, file.path(), TimeStamp::start, 2025);
          }).find("does not exist in 2025") != std::string::npos);
}

TEST_CASE("Columns besides time, irradiance and temperature are named, not used") {
    WeatherFile file;
    file.write(
        "humidity,time,ghi,dni_w_m2\n20,2026-06-21T10:00Z,800,500\n"
        "21,2026-06-21T11:00Z,900,600\n");
    const IrradianceYear year = weather_year(kAlmeria, file.path(), TimeStamp::start, 0);
    CHECK(sum(year, [](const auto&) { return 1.0; }) == Approx(1100.0 * 3600.0));
    CHECK(year.notes[0].find("not used: humidity, ghi") != std::string::npos);
}

TEST_CASE("Rows without a value are missing hours") {
    WeatherFile file;
    file.write(
        kHeader + hours_of_day("2026-06-21", 100.0, 0, 9) +
        "2026-06-21T10:00:00Z,NaN\n2026-06-21T11:00:00Z,\n2026-06-21T12:00:00Z,none measured\n");
    CHECK(test::message_of([&] {
              weather_year(kAlmeria, file.path(), TimeStamp::start, 0);
          }).find(": dni_w_m2: the direct normal irradiance 'none measured'") != std::string::npos);
    file.write(kHeader + hours_of_day("2026-06-21", 100.0, 0, 9) +
               "2026-06-21T10:00:00Z,n/a\n2026-06-21T11:00:00Z,\n" +
               hours_of_day("2026-06-21", 100.0, 12, 23));
    const IrradianceYear year = weather_year(kAlmeria, file.path(), TimeStamp::start, 0);
    CHECK(year.notes[0].find("2.0 hours are missing") != std::string::npos);
    CHECK(year.notes[0].find("2026-06-21T09:00:00") != std::string::npos);
}

TEST_CASE("Intervals that end at midnight belong to the day before when years are moved") {
    WeatherFile file;
    // Ends of hours: the last one of a leap year's 28 February, and of the year.
    file.write(kHeader + std::string("2004-02-28T23:00:00Z,0\n2004-02-29T00:00:00Z,0\n"
                                     "2007-12-31T11:00:00Z,7\n2007-12-31T12:00:00Z,7\n"
                                     "2007-12-31T23:00:00Z,0\n2008-01-01T00:00:00Z,0\n"));
    const IrradianceYear year = weather_year(kAlmeria, file.path(), TimeStamp::end, 2025);
    CHECK(sum(year, [](const auto&) { return 1.0; }) == Approx(2.0 * 7.0 * 3600.0));
    CHECK(year.moments.front().month == 11);
    // As starts they are days that 2025 does not have in this order.
    CHECK(test::message_of([&] {
              weather_year(kAlmeria, file.path(), TimeStamp::start, 2025);
          }).find("does not exist in 2025") != std::string::npos);
}

TEST_CASE("Clocks that change in summer do not disturb the order") {
    WeatherFile file;
    file.write(kHeader + std::string("2026-03-29T00:00:00+01:00,0\n2026-03-29T01:00:00+01:00,0\n"
                                     "2026-03-29T03:00:00+02:00,0\n2026-03-29T04:00:00+02:00,0\n"));
    const IrradianceYear spring = weather_year(kAlmeria, file.path(), TimeStamp::start, 0);
    REQUIRE(spring.notes.size() == 1);
    CHECK(spring.notes[0].find("0.17 days") != std::string::npos);
    file.write(kHeader + std::string("2026-10-25T01:00:00+02:00,0\n2026-10-25T02:00:00+02:00,0\n"
                                     "2026-10-25T02:00:00+01:00,0\n2026-10-25T03:00:00+01:00,0\n"));
    CHECK(weather_year(kAlmeria, file.path(), TimeStamp::start, 0).notes.size() == 1);
}

TEST_CASE("Bad weather files are refused with every problem") {
    WeatherFile file;
    const auto problem = [&](const std::string& text) {
        file.write(text);
        return test::message_of([&] { weather_year(kAlmeria, file.path(), TimeStamp::start, 0); });
    };
    CHECK(problem("").find("has no rows") != std::string::npos);
    CHECK(problem("time,ghi\n2026-06-21T00:00Z,1\n").find("no column 'dni_w_m2'") !=
          std::string::npos);
    CHECK(problem(kHeader + std::string("2026-06-21T00:00,1\n")).find("no offset") !=
          std::string::npos);
    CHECK(problem(kHeader + hours_of_day("2026-06-21", 1.0, 9, 11) + "2026-06-21T12:00Z,-700\n")
              .find("-700") != std::string::npos);
    CHECK(problem(kHeader + std::string("2026-06-21T00:00Z,1\n")).find("fewer than two rows") !=
          std::string::npos);
    CHECK(problem(kHeader + hours_of_day("2026-06-21", 1.0) + "2026-06-21T23:30:00Z,1\n")
              .find("only 30 minutes") != std::string::npos);
}

TEST_CASE("Models know their altitudes") {
    CHECK_THROWS_AS(clear_year({-22.8, -67.9, 2600.0}, 2026, ClearSky::hottel), InputError);
    CHECK(clear_year({-22.8, -67.9, 2600.0}, 2026, ClearSky::meinel).source.find("Meinel") !=
          std::string::npos);
}
