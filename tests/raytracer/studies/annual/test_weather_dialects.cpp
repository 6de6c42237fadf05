// SPDX-License-Identifier: MIT
// The program's own weather table in every dialect.
#include "raytracer/studies/annual/weather/weather_file.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/check_dialects.h"
#include "tests/support/golden_messages.h"

#include <fmt/format.h>

using namespace helioray;
using namespace helioray::test;

TEST_CASE("Weather tables are read in every dialect") {
    const std::vector<DialectColumn> columns{
        {"time",
         "",
         {"2001-06-21T10:00:00Z", "2001-06-21T11:00:00Z", "2001-06-21T12:00:00Z"},
         true},
        {"dni", "w_m2", {"700.5", "0", "801"}}};
    const TemporaryFolder folder;
    check_every_dialect(
        folder.path() / "weather.csv", columns, [](const std::filesystem::path& file) {
            std::string values;
            for (const WeatherRow& row : read_weather({30.0, 0.0, 0.0}, file, {}, 0).rows)
                values += fmt::format("{} {:.6f};", row.time, row.dni.value());
            return values;
        });
}

TEST_CASE("Weather tables: units are converted, and columns that are not used are named") {
    const TemporaryFolder folder;
    const auto read = [&](const std::string& text) {
        const std::filesystem::path file = folder.path() / "weather.csv";
        std::ofstream(file, std::ios::binary) << text;
        return read_weather({30.0, 0.0, 0.0}, file, {}, 0);
    };
    const WeatherTable table = read(
        "Timestamp;DirectNormalIrradiance (kW/m2);Air Temperature;Relative Humidity\n"
        "2001-06-21T10:00:00Z;0,7005;21,5;40\n2001-06-21T11:00:00Z;NULL;NULL;41\n");
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0].dni == 700.5);
    CHECK_FALSE(table.rows[1].dni.has_value());
    CHECK(table.rows[0].temperature == 21.5);
    CHECK_FALSE(table.rows[1].temperature.has_value());
    const WeatherTable dim = read("time,dni\n2001-06-21T10:00:00Z,0.8\n2001-06-21T11:00:00Z,0.9\n");
    REQUIRE(dim.notes.size() == 1);
    test::check_message(
        "weather", "irradiance in kW/m2", dim.notes[0], {"0.9 W/m2", "dni_kw_m2", "dni_w_m2"});
    REQUIRE(table.notes.size() == 1);
    CHECK(table.notes[0].ends_with("columns that are not used: Relative Humidity"));
}
