// SPDX-License-Identifier: MIT
// Tabulated sun shapes.
#include "scenario/config/section.h"
#include "scenario/sun/radial_profile.h"
#include "tests/scenario/config/support.h"
#include "tests/support/golden_messages.h"

using namespace helioray;
using namespace helioray::test;

namespace {

std::vector<Problem> table_problems(const std::string& text) {
    const ConfigFolder folder;
    try {
        read_sun_table(folder.write("shape.csv", text));
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

void check_refused(const std::string& text, const std::string& place, const std::string& what) {
    const auto problems = table_problems(text);
    INFO(text);
    for (const Problem& problem : problems) UNSCOPED_INFO(to_string(problem));
    REQUIRE(problems.size() == 1);
    const std::string& where = problems[0].where;
    CHECK(where.substr(where.find("shape.csv")) == place);
    CHECK_THAT(problems[0].what, ContainsSubstring(what));
}

}  // namespace

TEST_CASE("a table with header, comments and blank lines is read") {
    const ConfigFolder folder;
    const TableShape table = read_sun_table(
        folder.write("shape.csv",
                     "\xEF\xBB\xBF# measured\r\nangle_mrad, radiance\r\n0, 1.0\r\n\r\n4.65 , 0.8 # "
                     "edge\r\n5e0,0\r\n"));
    const std::vector<double> angles{0.0, 4.65e-3, 5e-3};
    REQUIRE(table.angle.size() == 3);
    for (size_t i = 0; i < 3; ++i) CHECK(table.angle[i] == Approx(angles[i]));
    CHECK(table.radiance == std::vector<double>{1.0, 0.8, 0.0});
}

TEST_CASE("a table that ends within the sun is a warning") {
    const ConfigFolder folder;
    const auto warnings_of = [&](const std::string& text) {
        folder.write("shape.csv", text);
        return parse_run_config(
                   "scenario: plant.h5\naim: {target: receiver}\nsun: {azimuth_deg: 180, "
                   "elevation_deg: 45, shape: {type: table, file: shape.csv}}\n",
                   "run.yaml",
                   folder.path())
            .warnings;
    };
    CHECK(warnings_of("0,1\n4.65,0.8\n5,0\n").empty());
    CHECK(warnings_of("0,1\n4.65,0.8\n40,0.005\n").empty());
    CHECK(warnings_of("0,1\n4.65,1\n").empty());
    const auto warnings = warnings_of("0,2\n4.65,0.8\n");
    REQUIRE(warnings.size() == 1);
    const std::string warning = warnings[0].substr(warnings[0].find("shape.csv"));
    check_message(
        "tables", "a sun table that ends within the sun", warning, {"4.65 mrad", "40.0 %"});
}

TEST_CASE("a table may reach as far as the tracer's suns") {
    const ConfigFolder folder;
    const TableShape table = read_sun_table(folder.write("shape.csv", "0, 1\n100, 0.5\n"));
    CHECK(kSunWidths.contains(table.angle.back()));
    CHECK(radial_profile(table)->edge() == table.angle.back());
}

TEST_CASE("a wrong row is refused with its line") {
    check_refused("0, 1\n2, 1\n1, 1\n3, 1\n", "shape.csv:3", "angle 1 does not exceed");
    check_refused("0, 1\n0, 1\n", "shape.csv:2", "angle 0 does not exceed");
    check_refused("0, 1\n1, -0.1\n", "shape.csv:2", "radiance -0.1 is negative");
    check_refused("0, 1\n1, nan\n", "shape.csv:2", "not two finite numbers");
    check_refused("0, 1\n1, x\n", "shape.csv:2", "not two finite numbers");
    check_refused("0, 1\na, b\n1, 1\n", "shape.csv:2", "not two finite numbers");
    check_refused("0.x, 1\n0, 1\n1, 1\n", "shape.csv:1", "not two finite numbers");
    check_refused("0, 1\n1, 1, 1\n", "shape.csv:2", "has 3 cells, the header 2");
    check_refused("0 1\n", "shape.csv:1", "expected 2 columns, found 1");
    check_refused("1, 1\n2, 1\n", "shape.csv:1", "the first angle is 1, not 0");
    check_refused("0, 1\n100.1, 1\n", "shape.csv:2", "above 100 mrad");
}

TEST_CASE("a table as a whole is checked") {
    check_refused("", "shape.csv", "has 0 rows");
    check_refused("0, 1\n", "shape.csv", "has 1 rows");
    check_refused("0, 0\n1, 0\n", "shape.csv", "only radiances of 0");
    CHECK(table_problems("0, x\n1, -1\n").size() >= 2);
    CHECK_THROWS_AS(read_sun_table("/nowhere/shape.csv"), InputError);
}

TEST_CASE("problems of the table come with those of the configuration") {
    const ConfigFolder folder;
    folder.write("bad.csv", "0, 1\n1, -1\n");
    Overrides overrides;
    overrides.set = {"tracing.seed=x"};
    try {
        parse_run_config(
            "scenario: plant.h5\naim: {target: t}\n"
            "sun: {azimuth_deg: 1, elevation_deg: 2, shape: {type: table, file: bad.csv}}\n",
            "run.yaml",
            folder.path(),
            overrides);
        FAIL("accepted");
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 2);
        CHECK(error.problems()[0].where == (folder.path() / "bad.csv:2").string());
        CHECK(error.problems()[1].where == "--set tracing.seed");
    }
}
