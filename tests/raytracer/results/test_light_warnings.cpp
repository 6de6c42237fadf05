// SPDX-License-Identifier: MIT
// Warnings about targets that no light reaches.
#include "raytracer/results/light_warnings.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"
#include "tests/support/golden_messages.h"

using namespace helioray;

namespace {

using Texts = std::vector<std::string>;

/// Two steps with one heliostat each at two targets.
SeriesResult two_targets() {
    SeriesResult series;
    series.steps.resize(2);
    series.steps[1].time = "2026-06-21T12:00:00Z";
    series.heliostats = {"A", "B"};
    series.heliostat_targets = {"north", "south"};
    EnergyTerms lit;
    lit.solar_power = 1000.0;
    series.energy.assign(4, lit);
    for (const char* name : {"north", "south"}) {
        SeriesTarget target;
        target.name = name;
        target.power_w = {800.0, 700.0};
        series.targets.push_back(target);
    }
    return series;
}

Scenario tower_with(const Vec3& front) {
    Scenario scenario;
    PlanarTarget plane;
    plane.center = {0.0, 0.0, 60.0};
    plane.normal = front;
    plane.width = plane.height = 5.0;
    scenario.targets.push_back({"receiver", plane});
    for (int i = 0; i < 3; ++i) {
        Heliostat heliostat;
        heliostat.position = {10.0 * i, 50.0 + i, 2.0};
        scenario.heliostats.push_back(heliostat);
    }
    return scenario;
}

const std::vector<Aim> kAims{{0, 0, {}, {}}, {1, 0, {}, {}}, {2, 0, {}, {}}};

}  // namespace

TEST_CASE("A dark target is warned of when heliostats aim at it in daylight") {
    RunResult result = test::sample_result();
    CHECK(light_warnings(result) == Texts{});
    result.targets[1].power_w = 0.0;
    const std::string name = result.targets[1].target.name;
    REQUIRE(light_warnings(result).size() == 1);
    test::check_message("light",
                        "a dark target in daylight",
                        light_warnings(result)[0],
                        {"no light reaches target '" + name + "'", "in daylight", "check"});
    CHECK(result_warnings(result) == light_warnings(result));
    for (HeliostatResult& heliostat : result.heliostats) heliostat.energy.solar_power = 0.0;
    CHECK(light_warnings(result) == Texts{});
}

TEST_CASE("Light that a mirror sends to another receiver counts for the mirror's receiver") {
    RunResult result = test::sample_result();
    result.targets[1].power_w = 0.0;
    result.targets[1].target.receiver = "tower top";
    result.targets[1].target.use = SurfaceUse::mirror;
    CHECK(light_warnings(result) == Texts{});
    result.targets[0].power_w = 0.0;
    CHECK_FALSE(light_warnings(result).empty());

    SeriesResult series = two_targets();
    series.targets[1].use = SurfaceUse::mirror;
    series.targets[1].power_w[1] = 0.0;
    CHECK(light_warnings(series) == Texts{});
    series.targets[0].power_w[1] = 0.0;
    CHECK_FALSE(light_warnings(series).empty());
}

TEST_CASE("A series names the steps without light") {
    SeriesResult series = two_targets();
    CHECK(light_warnings(series) == Texts{});
    series.targets[1].power_w[1] = 0.0;
    REQUIRE(light_warnings(series).size() == 1);
    test::check_message("light",
                        "a dark target in a step of a series",
                        light_warnings(series)[0],
                        {"'south'", "1 of 2 positions", "2026-06-21T12:00:00Z"});
    series.targets[1].power_w[0] = 0.0;
    CHECK_THAT(light_warnings(series)[0],
               ContainsSubstring("no light reaches target 'south' in any of 2 positions"));
    // At night nothing is expected.
    series.energy[1].solar_power = series.energy[3].solar_power = 0.0;
    CHECK(light_warnings(series) == Texts{});
}

TEST_CASE("A front that faces away from all heliostats is found without rays") {
    const Texts warnings = front_warnings(tower_with({0.0, -1.0, 0.0}), kAims);
    REQUIRE(warnings.size() == 1);
    test::check_message("light",
                        "a front that faces away from all heliostats",
                        warnings[0],
                        {"'receiver'", "(3)", "azimuth 180 degrees, elevation 0 degrees"});
    CHECK_THAT(front_warnings(tower_with({0.0, 0.0, 1.0}), kAims).at(0),
               ContainsSubstring("which faces up;"));
    CHECK(front_warnings(tower_with({0.0, 1.0, 0.0}), kAims) == Texts{});
    CHECK(front_warnings(tower_with({0.0, 0.0, -1.0}), kAims) == Texts{});
    // One of them in front is enough.
    Scenario scenario = tower_with({0.0, -1.0, 0.0});
    scenario.heliostats[2].position[1] = -50.0;
    CHECK(front_warnings(scenario, kAims) == Texts{});
    scenario.targets[0].geometry = CylindricalTarget{};
    CHECK(front_warnings(scenario, kAims) == Texts{});
}

TEST_CASE("A front may face a secondary mirror instead of the heliostats") {
    Scenario plant = tower_with({0.0, 0.0, 1.0});
    plant.targets.push_back({"secondary", QuadricTarget{}, "receiver", SurfaceUse::absorber});
    CHECK(front_warnings(plant, kAims).size() == 1);
    plant.targets[1].use = SurfaceUse::mirror;
    CHECK(front_warnings(plant, kAims) == Texts{});
}
