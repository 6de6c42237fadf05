// SPDX-License-Identifier: MIT
// Clouds: shares by heliostat, maps that move, and what is refused.
#include "scenario/sun/clouds.h"
#include "tests/scenario/config/support.h"
#include "tests/support/golden_messages.h"

#include <algorithm>

using namespace helioray;
using namespace helioray::test;

namespace {

/// Heliostats "a" to "d" at 0, 10, 20 and 30 m east.
Scenario row_of_four() {
    Scenario scenario;
    for (int i = 0; i < 4; ++i) {
        Heliostat heliostat;
        heliostat.name = std::string(1, static_cast<char>('a' + i));
        heliostat.position = {10.0 * i, 5.0, 0.0};
        scenario.heliostats.push_back(heliostat);
    }
    return scenario;
}

/// Section sun with clouds of these rows, `more` inside of it, and a position at a time.
SunConfig sun_with(const std::string& rows,
                   const std::string& more = "",
                   const std::string& position = "time: \"2026-06-21T12:00:00+02:00\"") {
    const ConfigFolder folder;
    folder.write("clouds.csv", rows);
    const std::string text = "scenario: plant.h5\naim: {target: receiver}\nsun: {" + position +
                             ", clouds: {file: clouds.csv" + more + "}}\n";
    return parse_run_config(text, "run.yaml", folder.path()).sun;
}

std::vector<double> shares(const SunConfig& sun) {
    std::vector<std::string> warnings;
    return sunlit_shares(sun, row_of_four(), warnings);
}

std::string problem_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 1);
        return to_string(error.problems()[0]);
    }
    return {};
}

std::string problem_of(const std::string& rows, const std::string& more = "") {
    return problem_of([&] { sun_with(rows, more); });
}

const std::string kMap =
    "east_m,north_m,share\n-5,0,1\n5,0,0.2\n15,0,0.6\n-5,10,1\n5,10,0.2\n15,10,0.6\n";

}  // namespace

TEST_CASE("a table of clouds has the share of each heliostat, and 1 for the others") {
    CHECK(shares(sun_with("name,share\nc,0.25\na,0\n")) == std::vector{0.0, 1.0, 0.25, 1.0});
    CHECK(shares(SunConfig()).empty());
    // Without times no time is needed.
    CHECK(shares(sun_with("name,share\nb,0.5\n", "", "azimuth_deg: 180, elevation_deg: 40"))[1] ==
          0.5);
}

TEST_CASE("heliostats that the file has no share for are reported") {
    const auto warnings_of = [](const SunConfig& sun) {
        std::vector<std::string> warnings;
        sunlit_shares(sun, row_of_four(), warnings);
        return warnings;
    };
    const std::vector<std::string> two = warnings_of(sun_with("name,share\nc,0.25\na,0\n"));
    REQUIRE(two.size() == 1);
    check_message("configuration",
                  "heliostats without a row of clouds",
                  two[0],
                  {"sun.clouds.file: 2 of 4 heliostats", "'b'"});
    CHECK(warnings_of(sun_with("name,share\na,0\nb,0\nc,0\nd,0\n")).empty());
    const std::vector<std::string> beyond =
        warnings_of(sun_with("east_m,north_m,share\n900,900,0\n901,900,0\n900,901,0\n901,901,0\n"));
    REQUIRE(beyond.size() == 1);
    CHECK(beyond[0].find("4 of 4 heliostats are located beyond the map of clouds") !=
          std::string::npos);
}

TEST_CASE("rows of a table count from their time to the next one") {
    SunConfig sun = sun_with(
        "time,name,share\n2026-06-21T09:30:00Z,a,0.5\n2026-06-21T10:00:00Z,b,0.25\n"
        "2026-06-21T10:05:00Z,c,0.75\n");
    CHECK(shares(sun) == std::vector{1.0, 0.25, 1.0, 1.0});
    sun.position = SunTime{"2026-06-21T11:59:59+02:00"};
    CHECK(shares(sun) == std::vector{0.5, 1.0, 1.0, 1.0});
    sun.position = SunTime{"2026-06-22T11:59:59+02:00"};
    CHECK(shares(sun) == std::vector{1.0, 1.0, 0.75, 1.0});
    sun.position = SunTime{"2026-06-21T09:29:59+00:00"};
    CHECK_THAT(problem_of([&] { shares(sun); }), ContainsSubstring("has no row at"));
    sun.position = SunAngles{3.0, 0.7};
    CHECK_THAT(problem_of([&] { shares(sun); }), ContainsSubstring("has no time"));
}

TEST_CASE("a map is interpolated and clear beyond its edges") {
    // At 0, 10, 20 and 30 m: half way from 1 to 0.2, half way to 0.6, and beyond.
    const std::vector<double> found = shares(sun_with(kMap));
    CHECK(found[0] == Approx(0.6));
    CHECK(found[1] == Approx(0.4));
    CHECK(found[2] == 1.0);
    CHECK(found[3] == 1.0);
}

TEST_CASE("a map moves with its velocity") {
    const std::string motion = ", velocity_m_s: [2, -0.1], time: \"2026-06-21T11:59:50+02:00\"";
    SunConfig sun = sun_with(kMap, motion);
    // 20 m to the east and 1 m to the south in ten seconds.
    const std::vector<double> found = shares(sun);
    CHECK(found[0] == 1.0);
    CHECK(found[1] == 1.0);
    CHECK(found[2] == Approx(0.6));
    CHECK(found[3] == Approx(0.4));
    // To the north of the map's edge before it has come so far.
    sun.position = SunTime{"2026-06-21T11:58:00+02:00"};
    CHECK(shares(sun) == std::vector(4, 1.0));
    sun.position = SunAngles{3.0, 0.7};
    CHECK_THAT(problem_of([&] { shares(sun); }), ContainsSubstring("has no time"));
}

TEST_CASE("clouds that change follow the time beside the angles of a position") {
    SunConfig sun =
        sun_with("time,name,share\n2026-06-21T09:00Z,a,0.5\n2026-06-21T11:00Z,a,0.25\n");
    sun.position = SunAngles{3.0, 1.0, "2026-06-21T10:00:00+00:00"};
    CHECK(shares(sun)[0] == 0.5);
    sun.position = SunAngles{3.0, 1.0, "2026-06-21T12:00:00+00:00"};
    CHECK(shares(sun)[0] == 0.25);
    sun.position = SunAngles{3.0, 1.0};
    CHECK_THAT(problem_of([&] { shares(sun); }), ContainsSubstring("has no time"));
}

TEST_CASE("faults of clouds are named") {
    CHECK_THAT(problem_of("name,share\na,1.2\n"), ContainsSubstring("clouds.csv:2: share"));
    CHECK_THAT(problem_of("name,share\na,nan\n"), ContainsSubstring("clouds.csv:2: share"));
    CHECK_THAT(problem_of("name,share\na,1\na,0\n"), ContainsSubstring("'a' is given twice"));
    CHECK_THAT(problem_of("name,share\n"), ContainsSubstring("has no rows"));
    CHECK_THAT(problem_of("share\n1\n"), ContainsSubstring("neither a table of heliostats"));
    CHECK_THAT(problem_of("name,east_m,north_m,share\na,0,0,1\n"),
               ContainsSubstring("neither a table of heliostats"));
    CHECK_THAT(problem_of("east_m,north_m,share\n0,0,1\n1,0,1\n0,1,1\n"),
               ContainsSubstring("shares are interpolated on a rectangular grid"));
    CHECK_THAT(problem_of(kMap, ", velocity_m_s: [1, 0]"), ContainsSubstring("sun.clouds.time"));
    CHECK_THAT(problem_of(kMap, ", time: \"2026-06-21T12:00:00Z\""),
               ContainsSubstring("sun.clouds.velocity_m_s"));
    CHECK_THAT(problem_of(kMap, ", velocity_m_s: [1, 0], time: noon"), ContainsSubstring("'noon'"));
    CHECK_THAT(problem_of([] { shares(sun_with("name,share\nx,0.5\n")); }),
               ContainsSubstring("the scenario has no heliostat 'x'"));
}
