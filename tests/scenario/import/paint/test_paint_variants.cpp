// SPDX-License-Identifier: MIT
// PAINT files in other spellings, other orientations, and with errors.
#include "scenario/files/error.h"
#include "scenario/import/paint/paint.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <functional>

using namespace helioray;
using nlohmann::json;

namespace {

using Edit = std::function<void(json& tower, json& heliostat)>;

// The tower in Juelich with AA39, after an edit of both files.
Scenario convert(const Edit& edit) {
    const std::string source = test::source_dir() + "/configs/paint/";
    const test::TemporaryFolder folder;
    std::ifstream tower_file(source + "tower-measurements.json");
    std::ifstream heliostat_file(source + "AA39-heliostat-properties.json");
    json tower = json::parse(tower_file);
    json heliostat = json::parse(heliostat_file);
    edit(tower, heliostat);
    std::ofstream(folder / "tower.json") << tower;
    std::ofstream(folder / "AA39-heliostat-properties.json") << heliostat;
    PaintInputs inputs;
    inputs.tower = folder / "tower.json";
    inputs.heliostats = {{folder / "AA39-heliostat-properties.json", ""}};
    return scenario_from_paint(inputs);
}

std::string message_of(const Edit& edit) {
    try {
        convert(edit);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("paint variants: older key names mean the same") {
    const Scenario current = convert(
        [](json&, json& h) { h["kinematics_properties"]["joint_translation_u_2"] = 0.315; });
    const Scenario older = convert([](json&, json& h) {
        json kinematics = h["kinematics_properties"];
        h.erase("kinematics_properties");
        for (const char* axis : {"e", "n", "u"}) {
            for (const char* joint : {"1", "2"}) {
                const std::string key = std::string("joint_translation_") + axis + "_" + joint;
                kinematics.erase(key);
            }
            kinematics[std::string("first_joint_translation_") + axis] = 0.0;
            kinematics[std::string("second_joint_translation_") + axis] = 0.0;
        }
        kinematics["second_joint_translation_u"] = 0.315;
        h["kinematic_properties"] = kinematics;
    });
    CHECK(equal(current, older));
    CHECK(older.heliostats[0].kinematics->deviations.second_joint_translation[2] == 0.315);
}

TEST_CASE("paint variants: a wall that faces east is as wide as its corners are apart") {
    // Corners along the meridian: 1e-4 degrees of latitude are 11.125 m there.
    const Scenario scenario = convert([](json& t, json&) {
        const double latitude = 50.9134;
        const double longitude = 6.3878;
        t["wall"] = {{"type", "planar"},
                     {"normal_vector", {1, 0, 0}},
                     {"coordinates",
                      {{"center", {latitude, longitude, 105.0}},
                       {"upper_left", {latitude - 5e-5, longitude, 110.0}},
                       {"upper_right", {latitude + 5e-5, longitude, 110.0}},
                       {"lower_left", {latitude - 5e-5, longitude, 100.0}},
                       {"lower_right", {latitude + 5e-5, longitude, 100.0}}}}};
    });
    REQUIRE(scenario.find_target("wall"));
    const auto& wall =
        std::get<PlanarTarget>(scenario.targets[*scenario.find_target("wall")].geometry);
    CHECK(wall.width == Approx(11.125).epsilon(1e-3));
    CHECK(wall.height == Approx(10.0));
}

TEST_CASE("paint variants: areas of unknown type are left out, ten facets keep their order") {
    const Scenario scenario = convert([](json& t, json& h) {
        t["multi_focus_tower"]["type"] = "cavity";
        json& facets = h["facet_properties"]["facets"];
        while (facets.size() < 12) facets.push_back(facets[0]);
        facets[9]["translation_vector"] = {9.0, 0.0, 0.0};
        h["facet_properties"]["number_of_facets"] = 12;
    });
    CHECK_FALSE(scenario.find_target("multi_focus_tower"));
    const std::vector<Facet>& facets = scenario.heliostats[0].surface->facets;
    CHECK(facets[9].name == "facet_10");
    CHECK(facets[1].name == "facet_02");
    CHECK(facets[9].translation[0] == 9.0);
    CHECK(std::is_sorted(facets.begin(), facets.end(), [](const Facet& a, const Facet& b) {
        return a.name < b.name;
    }));
}

TEST_CASE("paint variants: errors name file and key") {
    struct Case {
        Edit edit;
        std::string expected;
    };
    const std::string actuators = "kinematics_properties.actuators";
    const std::vector<Case> cases{
        {[](json& t, json&) { t.erase("power_plant_properties"); },
         "tower.json: power_plant_properties: is missing"},
        {[](json& t, json&) { t["receiver"].erase("radius"); }, "receiver.radius: is missing"},
        {[](json& t, json&) { t["receiver"]["radius"] = 1.0; },
         "receiver.radius: is 1, less than half the distance"},
        {[](json& t, json&) { t["receiver"]["opening_angle"] = 361; }, "more than a full turn"},
        {[](json& t, json&) {
             t["receiver"]["normal_vector"] = {0, 0, 1};
         },
         "is vertical"},
        {[](json& t, json&) {
             t["multi_focus_tower"]["normal_vector"] = {0, 0, 0};
         },
         "multi_focus_tower.normal_vector: is the zero vector"},
        {[](json& t, json&) { t["multi_focus_tower"]["coordinates"].erase("upper_left"); },
         "multi_focus_tower.coordinates.upper_left: is missing"},
        {[](json& t, json&) {
             t["multi_focus_tower"]["coordinates"]["center"] = {1, 2};
         },
         "center: has 2 elements, expected 3"},
        {[](json& t, json&) {
             t["multi_focus_tower"]["coordinates"]["center"] = {100, 2, 3};
         },
         "(100, 2) is no latitude"},
        {[](json&, json& h) { h.erase("heliostat_position"); },
         "AA39-heliostat-properties.json: heliostat_position: is missing"},
        {[](json&, json& h) { h.erase("kinematics_properties"); },
         "kinematics_properties: is missing"},
        {[](json&, json& h) { h["kinematics_properties"]["actuators"].erase(1); },
         actuators + ": expected 2 actuators, found 1"},
        {[](json&, json& h) {
             h["kinematics_properties"]["actuators"][1]["type_axis"] = "hydraulic";
         },
         actuators + "[1].type_axis: 'hydraulic' is unknown"},
        {[](json&, json& h) {
             json& drive = h["kinematics_properties"]["actuators"][1];
             drive["type_axis"] = "ideal";
             drive.erase("pivot_radius");
         },
         actuators + "[1].type_axis: expected 'linear'"},
        {[](json&, json& h) { h["kinematics_properties"]["actuators"][0]["offset"] = 0; },
         actuators + "[0].offset: is 0 (it must be greater than 0)"},
        {[](json&, json& h) { h["kinematics_properties"]["actuators"][0]["increment"] = "many"; },
         "increment: \"many\" is not a number"},
        {[](json&, json& h) {
             h["kinematics_properties"]["actuators"][0]["clockwise_axis_movement"] = 2;
         },
         "is 2, not 0 or 1"},
        {[](json&, json& h) { h["facet_properties"]["number_of_facets"] = 5; },
         "number_of_facets: is 5, but there are 4 facets"},
        {[](json&, json& h) {
             h["facet_properties"]["facets"][0]["canting_n"] = {0, 0, 0};
         },
         "facets[0].canting_e: and canting_n are zero or parallel"},
    };
    for (const Case& item : cases) {
        INFO(item.expected);
        CHECK_THAT(message_of(item.edit), ContainsSubstring(item.expected));
    }
}

TEST_CASE("paint variants: all problems are reported together") {
    const std::string message = message_of([](json& t, json& h) {
        t["receiver"].erase("radius");
        t["multi_focus_tower"].erase("type");
        h.erase("heliostat_position");
    });
    CHECK_THAT(message, ContainsSubstring("receiver.radius"));
    CHECK_THAT(message, ContainsSubstring("multi_focus_tower.type"));
    CHECK_THAT(message, ContainsSubstring("heliostat_position"));
}

TEST_CASE("paint variants: files that are none") {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "broken.json") << "{\"a\": }";
    PaintInputs inputs;
    inputs.tower = folder / "broken.json";
    CHECK_THROWS_WITH(
        scenario_from_paint(inputs),
        ContainsSubstring("broken.json: is not valid JSON") && ContainsSubstring("line 1"));
    inputs.tower = folder / "absent.json";
    CHECK_THROWS_WITH(scenario_from_paint(inputs), ContainsSubstring("there is no such file"));
    inputs.tower = test::source_dir() + "/configs/paint/tower-measurements.json";
    CHECK_THROWS_WITH(scenario_from_paint(inputs), ContainsSubstring("no heliostat is named"));
    const std::filesystem::path aa39 =
        test::source_dir() + "/configs/paint/AA39-heliostat-properties.json";
    inputs.heliostats = {{aa39, ""}, {aa39, ""}};
    CHECK_THROWS_WITH(scenario_from_paint(inputs), ContainsSubstring("two heliostats 'AA39'"));
    inputs.heliostats = {{aa39, "a"}, {aa39, "b"}};
    CHECK(scenario_from_paint(inputs).heliostats[1].name == "b");
    inputs.control_points = {3, 10};
    CHECK_THROWS_WITH(scenario_from_paint(inputs), ContainsSubstring("3 per axis is not possible"));
}
