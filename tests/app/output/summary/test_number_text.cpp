// SPDX-License-Identifier: MIT
// Numbers and tables as text.
#include "app/output/summary/text_table.h"
#include "scenario/files/number_text.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

TEST_CASE("Significant digits") {
    CHECK(significant(1234.5, 4) == "1234");
    CHECK(significant(0.012345, 3) == "0.0123");
    CHECK(significant(9.9996, 4) == "10.00");
    CHECK(significant(-2.5, 2) == "-2.5");
    CHECK(significant(0.0, 3) == "0");
    CHECK(significant(1.234e-5, 3) == "1.23e-05");
    CHECK(significant(1.0e7, 2) == "1.0e+07");
    CHECK(significant(std::nan(""), 3) == "nan");
    CHECK(significant(-HUGE_VAL, 3) == "-inf");
}

TEST_CASE("Powers, counts and durations") {
    CHECK(power_text(7532000.0) == "7.532 MW");
    CHECK(power_text(999.0) == "999.0 W");
    CHECK(power_text(1000.0) == "1.000 kW");
    CHECK(power_text(0.0) == "0 W");
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(-1234567) == "-1,234,567");
    CHECK(count_text(12345) == "12,345");
    CHECK(count_text(4'000'000) == "4.00 million");
    CHECK(count_text(3'200'000'000) == "3.20 billion");
    CHECK(duration_text(0.5321) == "0.532 s");
    CHECK(duration_text(59.96) == "1 min 00 s");
    CHECK(duration_text(123.4) == "2 min 03 s");
    CHECK(duration_text(3720.0) == "1 h 02 min");
    CHECK(duration_text(-1.0) == "-");
}

TEST_CASE("Points and the sun's direction") {
    CHECK(point_text({1.2, -3.0, 55.0171}) == "(1.200, -3.000, 55.017)");
    CHECK(point_text({-0.0001, 0.0, 0.0}) == "(0.000, 0.000, 0.000)");
    CHECK(sun_text({0.0, -1.0, 1.0}) == "azimuth 180.0°, elevation 45.0°");
    CHECK(sun_text({-1.0, 0.0, 0.0}) == "azimuth 270.0°, elevation 0.0°");
    CHECK(sun_text({-1e-9, 1.0, 0.0}) == "azimuth 0.0°, elevation 0.0°");
    CHECK(sun_text({0.0, 0.0, 0.0}) == "");
}

TEST_CASE("Texts are measured and cut by code points") {
    CHECK(text_width("Jülich") == 6);
    CHECK(shortened("Jülich", 6) == "Jülich");
    CHECK(shortened("Jülich", 4) == "Jül…");
    CHECK(shortened("Jülich", 1) == "…");
}

TEST_CASE("Columns of a table line up") {
    TextTable table({{"name", Align::left}, {"power"}});
    table.add_row({"Jülich", "1.0 kW"});
    table.add_row({"x", "10.0 kW"});
    CHECK(table.str() ==
          "  name      power\n"
          "  ------  -------\n"
          "  Jülich   1.0 kW\n"
          "  x       10.0 kW\n");
    CHECK_THROWS_AS(table.add_row({"only one"}), std::logic_error);
    CHECK(key_value_lines({{"a", "1"}, {"longer", "2"}, {"empty", ""}}) ==
          "  a       1\n  longer  2\n");
}

TEST_CASE("Energies get the unit that keeps them short") {
    CHECK(energy_text(3.6e6) == "1.0000 kWh");
    CHECK(energy_text(9999.4 * 3.6e6) == "9999.4 kWh");
    CHECK(energy_text(962.724 * 3.6e9) == "962.72 MWh");
    CHECK(energy_text(12.3456 * 3.6e12) == "12.346 GWh");
    CHECK(energy_text(0.0) == "0 kWh");
    CHECK(energy_scale(-5e3 * 3.6e9).unit == "MWh");
    CHECK(energy_scale(2e4 * 3.6e9).factor == 3.6e12);
}
