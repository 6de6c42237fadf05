// SPDX-License-Identifier: MIT
// Names and ranges of a configuration against a scenario.
#include "scenario/config/checks/checks.h"
#include "tests/scenario/config/support.h"
#include "tests/support/golden_messages.h"

#include <memory>

using namespace helioray;
using namespace helioray::test;

namespace {

Scenario make_scenario() {
    Scenario scenario;
    scenario.targets = {{"receiver", PlanarTarget{}}, {"multi_focus_tower", PlanarTarget{}}};
    scenario.light_sources.emplace_back();
    ActuatorPair actuators;
    for (Actuator& actuator : actuators) actuator.max_motor_position = 1000.0;
    for (const char* name : {"AA31", "AA39"}) {
        Heliostat heliostat;
        heliostat.name = name;
        heliostat.actuators = std::make_shared<const ActuatorPair>(actuators);
        scenario.heliostats.push_back(heliostat);
    }
    return scenario;
}

const std::string kSun = "scenario: plant.h5\nsun: {azimuth_deg: 0, elevation_deg: 9}\n";

std::vector<Problem> check(const std::string& text, const Scenario& scenario = make_scenario()) {
    const RunConfig config = parse(text);
    try {
        check_against_scenario(config, scenario);
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

}  // namespace

TEST_CASE("a configuration that fits its scenario passes") {
    CHECK(check(kSun + "aim: {target: receiver}\n").empty());
    CHECK(check(kSun + "aim: {target: receiver, active: [AA39], heliostats: {AA31: {target: "
                       "multi_focus_tower}, AA39: {motor_positions: [0, 1000]}}}\n")
              .empty());
    CHECK(check(kSun + "aim: {heliostats: {AA31: {target: receiver}, AA39: {target: receiver}}}\n")
              .empty());
}

TEST_CASE("unknown names are placed and corrected, all at once") {
    const auto problems = check(kSun +
                                "aim:\n"
                                "  target: reciever\n"
                                "  active: [AA39, AA93]\n"
                                "  heliostats:\n"
                                "    AA30:\n"
                                "      target: tower\n");
    REQUIRE(problems.size() == 4);
    CHECK(problems[0].where == "run.yaml:4:11: aim.target");
    CHECK(problems[0].what == "the scenario has no target 'reciever'");
    CHECK(problems[0].advice == "did you mean 'receiver'?");
    CHECK(problems[1].where == "run.yaml:5:18: aim.active[1]");
    CHECK(problems[1].advice == "did you mean 'AA39'?");
    CHECK(problems[2].where == "run.yaml:7:5: aim.heliostats.AA30");
    CHECK(problems[2].what == "the scenario has no heliostat 'AA30'");
    CHECK(problems[3].where == "run.yaml:8:15: aim.heliostats.AA30.target");
    CHECK(problems[3].advice == "valid: 'receiver', 'multi_focus_tower'");
}

TEST_CASE("more rays than the sums hold with all digits are refused, whoever shares them") {
    const std::string all = kSun + "aim: {target: receiver}\n";
    const std::string one = kSun + "aim: {target: receiver, active: [AA39]}\n";
    CHECK(check(all + "tracing: {rays_per_heliostat: 8796093022208}\n").empty());
    CHECK(check(one + "tracing: {rays_per_heliostat: 17592186044416}\n").empty());
    CHECK(check(all + "tracing: {model: artist, rays_per_heliostat: 1e15}\n").empty());
    const auto problems = check(all + "tracing: {rays_per_heliostat: 8796093022209}\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where == "run.yaml:4:31: tracing.rays_per_heliostat");
    CHECK_THAT(problems[0].what, ContainsSubstring("8.79609e+12 rays on each of 2"));
    CHECK_THAT(problems[0].advice, ContainsSubstring("8796093022208, or tracing.relative_error"));
    check_message("configuration", "more rays than sums can hold", to_string(problems[0]));
    CHECK(check(all + "tracing: {rays_per_heliostat: 1e15, relative_error: 0.1}\n").empty());
    CHECK(check(one + "tracing: {rays_per_heliostat: 17592186044417}\n").size() == 1);
}

TEST_CASE("settings of targets belong to targets of the scenario, outlines to planes") {
    Scenario scenario = make_scenario();
    scenario.targets.push_back({"drum", CylindricalTarget{}});
    const std::string text = kSun +
                             "aim: {target: receiver}\n"
                             "targets:\n"
                             "  receiver: {outline_m: [[0, 0], [1, 0], [0, 1]]}\n"
                             "  drum:\n"
                             "    aperture: {center: [0, 0, 0], normal: [0, 1, 0], radius_m: 1}\n";
    CHECK(check(text, scenario).empty());
    const auto problems = check(text +
                                    "    outline_m: [[0, 0], [1, 0], [0, 1]]\n"
                                    "  reciever: {}\n",
                                scenario);
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].where == "run.yaml:8:5: targets.drum.outline_m");
    CHECK(problems[0].what == "target 'drum' is a cylinder");
    CHECK(problems[1].where == "run.yaml:9:3: targets.reciever");
    CHECK(problems[1].advice == "did you mean 'receiver'?");
}

TEST_CASE("with all heliostats active every one needs a target") {
    const auto problems = check(kSun + "aim:\n  heliostats:\n    AA31: {target: receiver}\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].what == "heliostat 'AA39' has no target");
    CHECK(problems[0].where == "run.yaml:4:3: aim.heliostats.AA39.target");
}

TEST_CASE("motor positions must be within reach") {
    const std::string text =
        kSun + "aim: {target: receiver, heliostats: {AA39: {motor_positions: [-1, 1001]}}}\n";
    const auto problems = check(text);
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].where == "run.yaml:3:63: aim.heliostats.AA39.motor_positions[0]");
    CHECK(problems[0].what == "-1 is outside of the actuator's range");
    CHECK(problems[1].advice == "give a value from 0 to 1000");

    Scenario without_limits = make_scenario();
    without_limits.heliostats[1].actuators = std::make_shared<const ActuatorPair>();
    CHECK(check(text, without_limits).empty());
}

TEST_CASE("without a light source the configuration must say what it would have said") {
    Scenario dark = make_scenario();
    dark.light_sources.clear();
    const std::string text = kSun + "aim: {target: receiver}\n";
    auto problems = check(text, dark);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where == "run.yaml:2:1: sun.shape");
    problems = check(text + "tracing: {model: artist}\n", dark);
    REQUIRE(problems.size() == 2);
    CHECK_THAT(problems[1].where, ContainsSubstring("artist.rays_per_point"));
}

TEST_CASE("a mirror that changes with the temperature needs one") {
    Scenario scenario = make_scenario();
    Surface surface;
    surface.bending_axis = BendingAxis::temperature;
    surface.bent = {{0.0, {}}, {40.0, {}}};
    scenario.heliostats[1].surface = std::make_shared<const Surface>(surface);
    const std::string aim = "aim: {target: receiver}\n";
    const auto problems = check(kSun + aim, scenario);
    REQUIRE(problems.size() == 1);
    CHECK(contains(problems[0].where, "sun.temperature_c"));
    CHECK(problems[0].what == "is missing");
    CHECK(contains(problems[0].why, "'AA39'"));
    std::string with_temperature = kSun;
    with_temperature.replace(with_temperature.find("elevation_deg"), 0, "temperature_c: -3, ");
    CHECK(check(with_temperature + aim, scenario).empty());
    // Mirrors that change with their elevation need none.
    surface.bending_axis = BendingAxis::elevation;
    scenario.heliostats[1].surface = std::make_shared<const Surface>(surface);
    CHECK(check(kSun + aim, scenario).empty());
}
