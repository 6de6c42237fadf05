// SPDX-License-Identifier: MIT
// Flux limits by place: interpolation, files, and what is refused.
#include "scenario/files/hdf5/file.h"
#include "scenario/inputs/limit_table.h"
#include "tests/scenario/config/support.h"
#include "tests/support/golden_messages.h"

#include <cmath>
#include <limits>

using namespace helioray;
using namespace helioray::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Scenario two_targets() {
    PlanarTarget plane;
    plane.width = 4.0;
    plane.height = 2.0;
    Scenario scenario;
    scenario.targets = {{"receiver", plane}, {"second", plane}};
    return scenario;
}

/// Tables of a file in this folder.
std::vector<LimitTable> tables_of(const ConfigFolder& folder,
                                  const std::string& name,
                                  const Scenario& scenario = two_targets()) {
    const RunConfig config = parse_run_config(
        kSmallest + "bitmap: {width: 4, height: 2}\naiming: {flux_limit: {file: " + name + "}}\n",
        "run.yaml",
        folder.path());
    return read_limit_tables(config, scenario);
}

std::vector<LimitTable> tables_of_rows(const std::string& rows,
                                       const Scenario& scenario = two_targets()) {
    const ConfigFolder folder;
    folder.write("limits.csv", rows);
    return tables_of(folder, "limits.csv", scenario);
}

std::vector<Problem> problems_of_rows(const std::string& rows) {
    try {
        tables_of_rows(rows);
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

using Fill = std::function<void(hdf5::Group)>;

std::vector<LimitTable> tables_of_maps(const Fill& fill) {
    const ConfigFolder folder;
    hdf5::write_file(folder.path() / "limits.h5", fill);
    return tables_of(folder, "limits.h5");
}

std::string problem_of_maps(const Fill& fill) {
    try {
        tables_of_maps(fill);
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 1);
        return to_string(error.problems()[0]);
    }
    return {};
}

const std::vector<double> kMap{1e5, 2e5, 3e5, 4e5, 5e5, 6e5, 7e5, 8e5};

}  // namespace

TEST_CASE("limits between the points of a table are bilinear, and nowhere beyond it") {
    // 100 + 10 x + 20 y + 5 x y kW/m2 is bilinear itself; rows in no order.
    const auto tables = tables_of_rows(
        "x_m,y_m,flux_limit_kw_m2\n"
        "2,3,210\n-1,0,90\n2,0,120\n-1,-2,60\n2,-2,60\n-1,3,135\n");
    REQUIRE(tables.size() == 2);
    CHECK(tables[0].target == "receiver");
    CHECK(tables[1].target == "second");
    const LimitTable& table = tables[0];
    CHECK(table.grid.x == std::vector<double>{-1.0, 2.0});
    CHECK(table.grid.y == std::vector<double>{-2.0, 0.0, 3.0});
    const auto expected = [](double x, double y) {
        return 1e3 * (100 + 10 * x + 20 * y + 5 * x * y);
    };
    for (const double x : {-1.0, -0.3, 1.2, 2.0})
        for (const double y : {-2.0, -1.1, 0.0, 0.7, 3.0})
            CHECK(table.limit_at(x, y) == Approx(expected(x, y)));
    CHECK(table.limit_at(2.001, 0.0) == kInfinity);
    CHECK(table.limit_at(0.0, -2.001) == kInfinity);
    CHECK(table.limit_at(NAN, 0.0) == kInfinity);
}

TEST_CASE("limits that do not reach the edges of a target are a warning") {
    // Targets of 4 x 2 m.
    const auto warnings_of = [](const std::string& rows) {
        return limit_warnings(tables_of_rows("x_m,y_m,flux_limit_kw_m2,target\n" + rows),
                              two_targets());
    };
    const std::string whole = "-2,-1,1,second\n2,-1,1,second\n-2,1,1,second\n2,1,1,second\n";
    CHECK(warnings_of(whole).empty());
    const auto warnings =
        warnings_of(whole + "-1,-1,1,receiver\n2,-1,1,receiver\n-1,3,1,receiver\n2,3,1,receiver\n");
    REQUIRE(warnings.size() == 1);
    check_message("tables",
                  "flux limits that do not cover the target",
                  warnings[0],
                  {"x from -1 to 2 m", "y from -1 to 3 m", "'receiver'", "4 x 2 m: 25.0 %"});
}

TEST_CASE("rows of a target are that target's alone") {
    const auto tables = tables_of_rows(
        "x_m,y_m,flux_limit_kw_m2,target\n"
        "0,0,100,\n0,1,100,\n1,0,100,\n1,1,100,\n"
        "0,0,300,second\n0,1,300,second\n1,0,300,second\n1,1,300,second\n");
    REQUIRE(tables.size() == 2);
    CHECK(tables[0].limit_at(0.5, 0.5) == Approx(1e5));
    CHECK(tables[1].limit_at(0.5, 0.5) == Approx(3e5));
    const auto one = tables_of_rows(
        "x_m,y_m,flux_limit_kw_m2,target\n0,0,3,second\n0,1,3,second\n1,0,3,second\n1,1,3,"
        "second\n");
    REQUIRE(one.size() == 1);
    CHECK(one[0].target == "second");
}

TEST_CASE("a table without places has one limit for each target") {
    const auto tables = tables_of_rows("target,flux_limit_kw_m2\nsecond,300\nreceiver,200\n");
    REQUIRE(tables.size() == 2);
    for (const double x : {-2.0, 0.3, 2.0}) {
        CHECK(tables[0].limit_at(x, 0.9) == Approx(2e5));
        CHECK(tables[1].limit_at(x, -1.0) == Approx(3e5));
    }
    CHECK_THAT(problems_of_rows("target,flux_limit_kw_m2\nsecond,1\nsecond,2\n").at(0).what,
               ContainsSubstring("occurs twice"));
    CHECK_THAT(problems_of_rows("flux_limit_kw_m2\n1\n").at(0).what,
               ContainsSubstring("lacks the column"));
    CHECK_THAT(problems_of_rows("x_m,target,flux_limit_kw_m2\n0,second,1\n").at(0).what,
               ContainsSubstring("lacks the column 'y_m'"));
}

TEST_CASE("a receiver of a table stands for its surfaces without rows, and shields have no limit") {
    Scenario scenario = two_targets();
    scenario.receivers = {{"crown", std::nullopt}};
    scenario.targets[0].receiver = scenario.targets[1].receiver = "crown";
    scenario.targets.push_back(scenario.targets[1]);
    scenario.targets.back().name = "shade";
    scenario.targets.back().use = SurfaceUse::shield;
    const auto tables =
        tables_of_rows("target,flux_limit_kw_m2\ncrown,300\nsecond,200\n", scenario);
    REQUIRE(tables.size() == 2);
    CHECK(tables[0].target == "receiver");
    CHECK(tables[0].limit_at(0.0, 0.0) == Approx(3e5));
    CHECK(tables[1].limit_at(0.0, 0.0) == Approx(2e5));
    CHECK_THROWS_AS(tables_of_rows("target,flux_limit_kw_m2\nshade,200\n", scenario), InputError);
}

TEST_CASE("wrong rows are refused with the key, the file and the line") {
    const auto refused =
        [](const std::string& rows, const std::string& place, const std::string& what) {
            const auto problems = problems_of_rows(rows);
            INFO(rows);
            for (const Problem& problem : problems) UNSCOPED_INFO(to_string(problem));
            REQUIRE(problems.size() == 1);
            CHECK_THAT(problems[0].where, ContainsSubstring("aiming.flux_limit.file: "));
            CHECK_THAT(problems[0].where, ContainsSubstring(place));
            CHECK_THAT(problems[0].what, ContainsSubstring(what));
        };
    const std::string header = "x_m,y_m,flux_limit_kw_m2\n";
    const std::string good = "0,0,1\n0,1,1\n1,0,1\n";
    refused(header + good + "1,1,0\n", "limits.csv:5: flux_limit_kw_m2", "not above 0");
    refused(header + good + "1,1,-5\n", "limits.csv:5: flux_limit_kw_m2", "'-5' is not a number");
    refused(header + good + "1,1,nan\n", "limits.csv:5: flux_limit_kw_m2", "'nan' is not");
    refused(header + good + "1,x,1\n", "limits.csv:5: y_m", "'x' is not a number");
    refused(header + good, "limits.csv", "1 of 4 points of the grid are missing");
    refused(header + good + "1,1,1\n1,1,2\n", "limits.csv:6", "given twice");
    refused(header + "0,0,1\n0,1,1\n", "limits.csv", "has 1 x and 2 y");
    refused("x_m,y_m\n0,0\n", "limits.csv:1", "no column 'flux_limit_kw_m2'");
    refused("x_m,y_m,flux_limit_kw_m2,target\n0,0,1,third\n", "limits.csv:2", "no target 'third'");
}

TEST_CASE("a map of limits holds at the centres of its pixels, up to the edges") {
    const auto tables = tables_of_maps([](hdf5::Group root) {
        root.write_array("flux_limit", kMap, {2, 4}).write_attribute("unit", "W/m2");
    });
    REQUIRE(tables.size() == 2);
    // Row 0 is the top, column 0 the left edge; pixels are 1 m wide and 1 m high.
    const LimitTable& table = tables[1];
    for (size_t row = 0; row < 2; ++row)
        for (size_t column = 0; column < 4; ++column)
            CHECK(table.limit_at(static_cast<double>(column) - 1.5,
                                 0.5 - static_cast<double>(row)) == kMap[4 * row + column]);
    CHECK(table.limit_at(-2.0, 1.0) == 1e5);
    CHECK(table.limit_at(2.0, -1.0) == 8e5);
    CHECK(table.limit_at(-1.0, 0.5) == Approx(1.5e5));
    CHECK(table.limit_at(-2.01, 0.0) == kInfinity);

    const auto of_one = tables_of_maps([](hdf5::Group root) {
        hdf5::Group group = root.create_group("targets").create_group("second");
        group.write_array("flux_limit", kMap, {2, 4}).write_attribute("unit", "kW/m2");
    });
    REQUIRE(of_one.size() == 1);
    CHECK(of_one[0].limit_at(1.5, -0.5) == 8e8);
}

TEST_CASE("maps with axes are grids, which may reach beyond the edges") {
    const auto grid = [](std::vector<double> x, std::vector<double> values, hdf5::Shape shape) {
        return [=](hdf5::Group root) {
            root.write_array("flux_limit", values, shape).write_attribute("unit", "kW/m2");
            root.write_array("x_m", x, {x.size()});
            root.write_array("y_m", std::vector<double>{-3.0, 1.0}, {2});
        };
    };
    const std::vector<double> rising{100, 200, 400, 300, 400, 600};
    const auto tables = tables_of_maps(grid({-4.0, 0.0, 5.0}, rising, {2, 3}));
    REQUIRE(tables.size() == 2);
    CHECK(tables[0].limit_at(-4.0, -3.0) == 1e5);
    CHECK(tables[0].limit_at(5.0, 1.0) == 6e5);
    CHECK(tables[0].limit_at(-2.0, -1.0) == Approx(2.5e5));
    CHECK(tables[0].limit_at(5.01, 0.0) == kInfinity);
    CHECK_THAT(problem_of_maps(grid({-4.0, 5.0}, rising, {2, 3})),
               ContainsSubstring("has the shape (2, 3)") && ContainsSubstring("(2, 2)"));
    CHECK_THAT(problem_of_maps(grid({-4.0, 0.0, 0.0}, rising, {2, 3})),
               ContainsSubstring("x_m") && ContainsSubstring("ascending"));
    CHECK_THAT(problem_of_maps(grid({-4.0, 0.0, NAN}, rising, {2, 3})),
               ContainsSubstring("ascending"));
    CHECK_THAT(problem_of_maps(grid({-4.0, 0.0, 5.0}, {100, 0, 1, 1, 1, 1}, {2, 3})),
               ContainsSubstring("0 W/m2 in row 0, column 1"));
}

TEST_CASE("wrong maps of limits are refused") {
    const auto map = [](std::vector<double> values, hdf5::Shape shape, const char* unit) {
        return [=](hdf5::Group root) {
            root.write_array("flux_limit", values, shape).write_attribute("unit", unit);
        };
    };
    const auto with = [](double value) {
        std::vector<double> values = kMap;
        values[6] = value;
        return values;
    };
    CHECK_THAT(problem_of_maps(map(kMap, {4, 2}, "W/m2")),
               ContainsSubstring("aiming.flux_limit.file: ") &&
                   ContainsSubstring("has the shape (4, 2), the bitmap (2, 4)"));
    CHECK_THAT(problem_of_maps(map(kMap, {2, 4}, "suns")), ContainsSubstring("'suns'"));
    CHECK_THAT(problem_of_maps(map(with(0.0), {2, 4}, "W/m2")),
               ContainsSubstring("0 W/m2 in row 1, column 2"));
    CHECK_THAT(problem_of_maps(map(with(NAN), {2, 4}, "W/m2")),
               ContainsSubstring("nan W/m2 in row 1, column 2"));
    CHECK_THAT(problem_of_maps([](hdf5::Group root) { root.write_number("flux", 1.0); }),
               ContainsSubstring("has neither flux_limit nor"));
    CHECK_THAT(problem_of_maps([](hdf5::Group root) {
                   root.create_group("targets").create_group("third").write_array(
                       "flux_limit", kMap, {2, 4});
               }),
               ContainsSubstring("no target 'third'"));
}
