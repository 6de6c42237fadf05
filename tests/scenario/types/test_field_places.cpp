// SPDX-License-Identifier: MIT
// Heliostats outside of any plant, or too far out for their tower, give one remark each.
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/field_places.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"
#include "tests/support/golden_messages.h"

using namespace helioray;

namespace {

/// A tower with its target at this height, and heliostats at these distances.
Scenario field(double height, const std::vector<double>& distances) {
    Scenario scenario = test::plain_scenario();
    scenario.targets = {{"receiver", PlanarTarget{{0, 0, height}, {0, 1, 0}, 8.0, 8.0}}};
    const Heliostat first = scenario.heliostats.front();
    scenario.heliostats.clear();
    for (const double distance : distances) {
        scenario.heliostats.push_back(first);
        scenario.heliostats.back().name = "h" + std::to_string(scenario.heliostats.size());
        scenario.heliostats.back().position = {0.6 * distance, 0.8 * distance, 0.0};
    }
    return scenario;
}

}  // namespace

TEST_CASE("places: fields as they are built give no remark") {
    CHECK(unlikely_places(field(250, {100, 900, 2000, 2900})).empty());
    CHECK(unlikely_places(field(60, {45, 400, 700})).empty());
    // A furnace and a rig with horizontal beams.
    CHECK(unlikely_places(field(2, {30, 450})).empty());
    CHECK(unlikely_places(field(-1, {30})).empty());
}

TEST_CASE("places: a field that does not suit its tower is named with distance and height") {
    const auto remarks = unlikely_places(field(60, {500, 719, 721, 4000, 9700}));
    REQUIRE(remarks.size() == 2);
    test::check_message("places",
                        "heliostats far from every target",
                        remarks[0],
                        {"1 of 5 heliostats", "5 km", "'h5', 9.7 km", "more towers"});
    test::check_message("places", "heliostats of a low tower", remarks[1], {"2 of 5 heliostats"});
    CHECK_THAT(remarks[1], ContainsSubstring("'h4', 4 km away and 60 m below its target"));

    const auto below = unlikely_places(field(-20, {800}));
    REQUIRE(below.size() == 1);
    CHECK_THAT(below[0], ContainsSubstring("20 m above its target"));
}

TEST_CASE("places: the nearest of several targets counts") {
    Scenario scenario = field(60, {6000});
    scenario.targets.push_back({"second", PlanarTarget{{3600, 4300, 60}, {0, 1, 0}, 8.0, 8.0}});
    CHECK(unlikely_places(scenario).empty());
}

TEST_CASE("places: map coordinates are named, and every reader is told") {
    const Scenario scenario = field(60, {286000});
    const auto remarks = unlikely_places(scenario);
    REQUIRE(remarks.size() == 1);
    CHECK_THAT(remarks[0], ContainsSubstring("286 km"));
    CHECK_THAT(remarks[0], ContainsSubstring("subtract the tower's coordinates"));
    const test::TemporaryFolder folder;
    write_scenario(scenario, folder / "far.h5");
    const auto warnings = read_scenario(folder / "far.h5").warnings;
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], ContainsSubstring("far.h5: 1 of 1 heliostats"));
    // Heliostats that are not read have no place.
    CHECK(read_scenario(folder / "far.h5", std::set<std::string>()).warnings.empty());
}
