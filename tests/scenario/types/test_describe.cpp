// SPDX-License-Identifier: MIT
// The tables of a scenario say what is in it.
#include "scenario/types/describe.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/support/catch2.h"

using namespace helioray;

TEST_CASE("describe: every part of a scenario appears") {
    Scenario scenario = test::rich_scenario();
    scenario.warnings = {"field.h5: something was assumed"};
    const std::string text = format_tables(describe(scenario));
    for (const char* expected : {"50.913421, 6.387825 deg",
                                 "87.00 m",
                                 "8.600 x 7.200",
                                 "cylinder, inner side",
                                 "radius 2.000, height 3.000, 360.0 deg",
                                 "(0.00, -3.00, 43.00)",
                                 "sigma 2.1 mrad per axis",
                                 "half angle 4.65 mrad",
                                 "circumsolar ratio 0.05",
                                 "3 angles up to 20 mrad",
                                 "2 to 4",
                                 "1 bspline 4x3, 1 bspline 4x3 (fitted)",
                                 "2 bspline 4x3 + flat + paraboloid + sphere",
                                 "2 azimuth_elevation, 2 rigid_body",
                                 "3 ideal, 1 linear",
                                 "-10.00 to 1.00 m",
                                 "something was assumed"}) {
        CHECK_THAT(text, ContainsSubstring(expected));
    }
}

TEST_CASE("describe: the mirror area is that of the canting vectors") {
    // 2 facets, then 2, then 2 times 4 of 1.6 m x 1.2 m, tilted by some milliradians.
    const std::string text = format_tables(describe(test::rich_scenario()));
    CHECK_THAT(text, ContainsSubstring("23.04 m2"));
}

TEST_CASE("describe: columns are aligned, also after letters of several bytes") {
    const std::string text = format_tables({{"T", {"name", "x"}, {{"ä", "1"}, {"bcdef", "2"}}}});
    CHECK(text ==
          "T\n"
          "  name   x\n"
          "  -----  -\n"
          "  ä      1\n"
          "  bcdef  2\n");
}

TEST_CASE("describe: an empty scenario is described too") {
    CHECK_THAT(format_tables(describe({})), ContainsSubstring("number  0"));
}
