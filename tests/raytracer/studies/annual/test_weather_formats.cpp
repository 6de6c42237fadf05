// SPDX-License-Identifier: MIT
// Weather files of other programs: the same hour of light in each of them.
#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/files/error.h"
#include "tests/raytracer/studies/annual/weather_samples.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"
#include "tests/support/golden_messages.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>

using namespace helioray;

namespace {

const GeodeticPosition kPlant{30.0, 0.0, 0.0};
constexpr double kHour = 1000.0 * 3600.0;

class Weather {
  public:
    explicit Weather(const std::string& text) { std::ofstream(path(), std::ios::binary) << text; }
    std::filesystem::path path() const { return folder_.path() / "weather"; }
    IrradianceYear read(std::optional<TimeStamp> stamp = {},
                        int year = 0,
                        const GeodeticPosition& plant = kPlant) const {
        return weather_year(plant, path(), stamp, year);
    }
    std::string problems(std::optional<TimeStamp> stamp = {}, int year = 0) const {
        try {
            read(stamp, year);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

  private:
    test::TemporaryFolder folder_;
};

double insolation(const IrradianceYear& year) {
    double sum = 0.0;
    for (const SunMoment& moment : year.moments) sum += moment.insolation;
    return sum;
}

/// Mean elevation of the sun, weighted with the light: it tells where the hour is.
double elevation(const IrradianceYear& year) {
    double sum = 0.0;
    for (const SunMoment& moment : year.moments) sum += moment.insolation * moment.elevation;
    return sum / insolation(year);
}

std::string notes(const IrradianceYear& year) {
    std::string all;
    for (const std::string& note : year.notes) all += note + "\n";
    return all;
}

/// The hour from 15:00 to 16:00 UTC, by the program's own CSV file.
double expected_elevation() {
    std::string text = "time,dni_w_m2\n";
    for (int hour = 0; hour < 24; ++hour)
        text += fmt::format("2001-06-21T{:02}:00:00Z,{}\n", hour, test::dni_of_hour(hour));
    return elevation(Weather(text).read());
}

}  // namespace

TEST_CASE("Each format has its own convention of time") {
    const double expected = expected_elevation();
    const std::string mark = "\xEF\xBB\xBF";
    for (const std::string& text : {test::sam_csv(),
                                    test::sam_csv(true, "NSRDB"),
                                    test::tmy3(),
                                    test::pvgis_csv(),
                                    test::pvgis_csv("30"),
                                    test::pvgis_csv("00", "0.5"),
                                    test::pvgis_json(),
                                    test::epw()}) {
        CAPTURE(text.substr(0, 200));
        for (const IrradianceYear& year : {Weather(text).read(), Weather(mark + text).read()}) {
            CHECK(insolation(year) == Approx(kHour));
            CHECK(elevation(year) == Approx(expected).epsilon(1e-9));
        }
    }
    // The sun of 21 June differs a little from year to year.
    const IrradianceYear table = Weather(test::motab()).read({}, 2001);
    CHECK(insolation(table) == Approx(kHour));
    CHECK(elevation(table) == Approx(expected).epsilon(1e-9));
    CHECK(notes(Weather(test::motab()).read()).find("placed in 2026 (choose with --year)") !=
          std::string::npos);
}

TEST_CASE("Lines may end with CR LF or CR") {
    std::string windows, classic;
    for (const char c : test::tmy3()) {
        windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
        classic += c == '\n' ? '\r' : c;
    }
    CHECK(elevation(Weather(windows).read()) == Approx(expected_elevation()));
    CHECK(elevation(Weather(classic).read()) == Approx(expected_elevation()));
}

TEST_CASE("The middle of an interval is half of it after its start") {
    const std::string text = test::sam_csv(true);
    const double middle = elevation(Weather(text).read());
    CHECK(elevation(Weather(text).read(TimeStamp::middle)) == middle);
    const double start = elevation(Weather(text).read(TimeStamp::start));
    const double end = elevation(Weather(text).read(TimeStamp::end));
    // In the afternoon the sun sinks.
    CHECK(start < middle);
    CHECK(middle < end);
    CHECK(middle == Approx((start + end) / 2).epsilon(1e-3));
}

TEST_CASE("Times that look like the middle of their intervals are noted") {
    const auto table = [](const std::string& minute, const std::string& offset) {
        std::string text = "time,dni_w_m2\n";
        for (int hour = 0; hour < 24; ++hour)
            text += fmt::format(
                "2001-06-21T{:02}:{}:00{},{}\n", hour, minute, offset, test::dni_of_hour(hour));
        return text;
    };
    const std::string note = "half an interval (30 minutes) after the full one";
    CHECK(notes(Weather(table("30", "Z")).read()).find(note) != std::string::npos);
    CHECK(notes(Weather(table("30", "+05:30")).read()).find(note) != std::string::npos);
    CHECK(notes(Weather(table("00", "+05:30")).read()).find(note) == std::string::npos);
    for (const TimeStamp stamp : {TimeStamp::start, TimeStamp::middle, TimeStamp::end})
        CHECK(notes(Weather(table("30", "Z")).read(stamp)).find(note) == std::string::npos);
    CHECK(notes(Weather(test::sam_csv(true)).read()).find(note) == std::string::npos);
}

TEST_CASE("A format that defines its times refuses others") {
    for (const std::string& text : {test::sam_csv(), test::tmy3(), test::epw()})
        CHECK(Weather(text).problems(TimeStamp::end).find("--weather-time: is not for this file") !=
              std::string::npos);
}

TEST_CASE("Typical years of other programs are moved to one year") {
    const std::string june = test::tmy3();
    const std::string july =
        "07/01/1998,10:00,0,500,1\n07/01/1998,11:00,0,500,1\n07/01/1998,24:00,0,0,1\n";
    const IrradianceYear year = Weather(june + july).read();
    CHECK(insolation(year) == Approx(2 * kHour));
    CHECK(notes(year).find("all rows are moved to 2026 (choose with --year)") != std::string::npos);
    CHECK(notes(Weather(june + july).read({}, 2024)).find("moved to") == std::string::npos);
}

TEST_CASE("A file of another place is noted") {
    const IrradianceYear year = Weather(test::tmy3()).read({}, 0, {50.9, 6.4, 90.0});
    test::check_message("weather",
                        "a file of another place",
                        notes(year),
                        {"30.00°", "longitude 0.00°", "plant", "50.90°, 6.40°"});
    CHECK(notes(Weather(test::tmy3()).read()).find("latitude") == std::string::npos);
    // Longitudes on either side of the date line are near each other.
    std::string fiji = test::epw();
    fiji.replace(fiji.find(",30,0,0,0"), 9, ",-17.0,179.9,12,0");
    CHECK(notes(Weather(fiji).read({}, 0, {-17.0, -179.9, 0.0})).find("latitude") ==
          std::string::npos);
}

TEST_CASE("Values of the night are dark") {
    const std::string text =
        "time,dni_w_m2\n2001-06-21T02:00:00Z,-0.8\n2001-06-21T12:00:00Z,800\n"
        "2001-06-21T13:00:00Z,810\n2001-06-21T23:00:00Z,-999\n";
    const IrradianceYear year = Weather(text).read();
    CHECK(insolation(year) == Approx(1610.0 * 3600.0));
    CHECK(year.dark_insolation == 0.0);
    std::string hours = "time,dni_w_m2\n";
    for (int hour = 0; hour < 24; ++hour) {
        std::string value = hour > 4 && hour < 19 ? "700" : "0";
        if (hour < 4 || hour > 19) value = hour % 2 == 1 ? "nan" : "-3.2";
        hours += fmt::format("2001-06-21T{:02}:00:00Z,{}\n", hour, value);
    }
    const IrradianceYear day = Weather(hours).read();
    CHECK(insolation(day) == Approx(14 * 700.0 * 3600.0));
    CHECK(notes(day).find("missing") == std::string::npos);
    CHECK(notes(day).find("below 0") == std::string::npos);
}

TEST_CASE("Values of the day are counted or refused") {
    std::string text = "time,dni_w_m2\n";
    const auto add = [&](int hour, const std::string& value) {
        text += fmt::format("2001-06-21T{:02}:00:00Z,{}\n", hour, value);
    };
    for (const auto& [hour, value] :
         {std::pair{8, "500"}, {9, "510"}, {10, "-1.5"}, {11, "-999"}, {12, "520"}})
        add(hour, value);
    const std::string remarks = notes(Weather(text).read());
    test::check_message(
        "weather", "values below 0", remarks, {"1 values below 0", "'-1.5' at 2001-06-21T10:00"});
    test::check_message(
        "weather", "missing hours", remarks, {"1.0 hours", "missing", "after 2001-06-21T10:00"});
    add(13, "-77");
    add(14, "1600");
    const std::string problems = Weather(text).problems();
    test::check_message("weather",
                        "impossible irradiance",
                        problems,
                        {"2 rows", "0 to 1500 W/m2", "'-77' at 2001-06-21T13:00"});
    CHECK(problems.find(":7)") != std::string::npos);
}

TEST_CASE("Every problem of a file of another program is named") {
    std::string sam = test::sam_csv();
    sam += "2001,6,22,24,0,0,0,20\n2001,13,1,1,0,0,0,20\n2001,6,22,1,0,x,0,20\n2001,6,22,2\n";
    const std::string problems = Weather(sam).problems();
    for (const char* line : {":28:", ":29:", ":30:", ":31:"})
        CHECK(problems.find(line) != std::string::npos);
    CHECK(problems.find("hour from 0 to 23") != std::string::npos);
    CHECK(problems.find("'x' is not a number") != std::string::npos);
    const auto problem = [](std::string text, const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
        return Weather(text).problems();
    };
    CHECK(problem(test::sam_csv(), ",DNI", ",Direct").find("no column 'DNI'") != std::string::npos);
    CHECK(problem(test::sam_csv(), ",DNI", ",DNI (kW/m2)").find("is 'kw/m2'") != std::string::npos);
    CHECK(problem(test::sam_csv(), "Time Zone", "Zone").find("latitude, longitude and time zone") !=
          std::string::npos);
    CHECK(problem(test::tmy3(), "15:00", "25:00").find("hour from 01:00 to 24:00") !=
          std::string::npos);
    CHECK(problem(test::tmy3(), "DNI (W/m^2)", "DNI2").find("DNI (W/m^2)") != std::string::npos);
    CHECK(problem(test::pvgis_csv(), "Gb(n)", "Gb(i)").find("inclined plane") != std::string::npos);
    CHECK(problem(test::pvgis_csv(), "20010621:0500", "20010621:0575").find("YYYYMMDD:HHMM") !=
          std::string::npos);
    CHECK(problem(test::pvgis_json(), "tmy_hourly", "monthly").find("neither 'tmy_hourly'") !=
          std::string::npos);
    CHECK(problem(test::pvgis_json(), "\"outputs\"", "outputs").find("JSON file of PVGIS") !=
          std::string::npos);
    CHECK(problem(test::motab(), "#METADATA", "#META").find("no line #METADATA") !=
          std::string::npos);
    CHECK(problem(test::motab(), "#TABLELABELS", "#LABELS").find("no line #TABLELABELS") !=
          std::string::npos);
    CHECK(problem(test::motab(), "s,W/m2,W/m2", "h,W/m2,W/m2").find("unit 'h'") !=
          std::string::npos);
}

TEST_CASE("Formats that are not read are named") {
    const std::string table = "time,dni_w_m2\n2001-06-21T12:00:00Z,800\n";
    std::string wide = "\xFF\xFE";
    std::string bare;
    for (const char c : table) {
        wide += std::string{c, '\0'};
        bare += std::string{'\0', c};
    }
    for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
             {wide, "UTF-16"},
             {bare, "UTF-16"},
             {std::string("PK\x03\x04 [Content_Types].xml xl/workbook.xml"),
              "Excel workbook (xlsx)"},
             {std::string("PK\x03\x04 weather.csv"), "ZIP archive"},
             {std::string("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), "Excel workbook (xls)"},
             {std::string("\x89HDF\r\n\x1A\n"), "HDF5"},
             {std::string("PAR1"), "Parquet"},
             {std::string("\x1F\x8B\x08"), "gzip"},
             {"<!DOCTYPE html>\n", "web page"},
             {" 23161 DAGGETT                CA  -8 N 34 52 W 116 47   588\n", "TMY2"},
             {"724699,\"X\",CO,-7,40,-105,1689,Data Version: 3.4\nObservationTime(LST),DNI\n",
              "SolarAnywhere"},
             {"PeriodEnd,PeriodStart,Period,Dni\n", "Solcast"},
             {"-BEGIN HEADER-\nNASA/POWER\n", "NASA POWER"}}) {
        CAPTURE(name);
        CHECK(Weather(text).problems().find(name) != std::string::npos);
    }
}

TEST_CASE("Weather may be given as lists") {
    WeatherSeries series{"hr.annual: weather", {}, {}};
    constexpr std::int64_t kFirst = 993081600000;  // 2001-06-21T00:00:00Z
    for (int hour = 0; hour < 24; ++hour) {
        series.times.push_back(kFirst + hour * 3600000);
        series.dni.push_back(hour == 3 ? std::numeric_limits<double>::quiet_NaN()
                                       : test::dni_of_hour(hour));
    }
    CHECK(elevation(weather_year(kPlant, series, {}, 0)) == Approx(expected_elevation()));
    CHECK(elevation(weather_year(kPlant, series, TimeStamp::end, 0)) > expected_elevation());
    std::swap(series.times[4], series.times[5]);
    CHECK_THROWS_WITH(weather_year(kPlant, series, {}, 0),
                      ContainsSubstring("hr.annual: weather: row 5"));
    series.dni.pop_back();
    CHECK_THROWS_WITH(weather_year(kPlant, series, {}, 0),
                      ContainsSubstring("24 times and 23 irradiances"));
}

TEST_CASE("weather: every format has the temperature of the hour with light") {
    std::string csv = "time,dni_w_m2,Air Temperature\n";
    for (int hour = 0; hour < 24; ++hour)
        csv += fmt::format("2001-06-21T{:02}:00Z,{},{}\n",
                           hour,
                           test::dni_of_hour(hour),
                           test::temperature_of_hour(hour));
    std::string kelvin = csv;
    kelvin.replace(kelvin.find("Air Temperature"), 15, "temperature [K]");
    const size_t value = kelvin.find(",1000,25");
    kelvin.replace(value, 8, ",1000,298.15");
    for (const std::string& text : {test::sam_csv(),
                                    test::sam_csv(true),
                                    test::tmy3(),
                                    test::pvgis_csv(),
                                    test::pvgis_json(),
                                    test::epw(),
                                    test::motab(),
                                    csv,
                                    kelvin}) {
        const IrradianceYear year = Weather(text).read();
        CAPTURE(text.substr(0, 40));
        CHECK(insolation(year) == Approx(3.6e6));
        for (const SunMoment& moment : year.moments) {
            REQUIRE(moment.temperature.has_value());
            CHECK(*moment.temperature == Approx(25.0));
        }
    }
    // Formats that choose columns by name know all names, and take no other unit for degrees
    // Celsius.
    const auto renamed = [](const std::string& name) {
        std::string text = test::sam_csv();
        return text.replace(text.find("Tdry"), 4, name);
    };
    for (const char* name : {"temp_air", "Dry Bulb Temperature (C)"})
        CHECK(Weather(renamed(name)).read().moments.front().temperature.has_value());
    for (const char* name : {"Tdry (F)", "Tdry [K]"})
        CHECK_FALSE(Weather(renamed(name)).read().moments.front().temperature.has_value());
    // Missing values, and values that no air has.
    for (const char* missing : {"", "nan", "-999", "9999", "298.15", "-99"}) {
        std::string text = csv;
        text.replace(text.find(",1000,25") + 6, 2, missing);
        CAPTURE(missing);
        for (const SunMoment& moment : Weather(text).read().moments)
            CHECK_FALSE(moment.temperature.has_value());
    }
    std::string epw = test::epw();
    epw.replace(epw.find(",25,10,50"), 3, ",99.9");
    for (const SunMoment& moment : Weather(epw).read().moments)
        CHECK_FALSE(moment.temperature.has_value());
}
