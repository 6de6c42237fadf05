// SPDX-License-Identifier: MIT
// Scenarios from PAINT files: ARTIST's numbers for the tower in Juelich.
#include "scenario/import/paint/conversion.h"
#include "scenario/import/paint/paint.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace helioray;
using nlohmann::json;

namespace {

PaintInputs three_of_juelich() {
    const std::filesystem::path folder = test::source_dir() + "/configs/paint";
    PaintInputs inputs;
    inputs.tower = folder / "tower-measurements.json";
    for (const char* name : {"AA39", "AA31", "AA28"}) {
        inputs.heliostats.push_back(
            {folder / (std::string(name) + "-heliostat-properties.json"), ""});
    }
    return inputs;
}

json vectors() {
    std::ifstream file(test::source_dir() + "/tests/data/vectors/paint_conversion_and_fit.json");
    return json::parse(file);
}

void check_vector(const Vec3& actual, const json& expected) {
    const json& numbers = expected[0].is_array() ? expected[0] : expected;
    for (size_t i = 0; i < 3; ++i) {
        CHECK(actual[i] == Approx(numbers[i].get<double>()).epsilon(0).margin(1e-5));
    }
}

double number(const json& value) {
    return value.get<double>();
}

}  // namespace

TEST_CASE("paint: the tower has ARTIST's target areas") {
    const Scenario scenario = scenario_from_paint(three_of_juelich());
    const json expected = vectors()["tower"];
    CHECK(scenario.position == GeodeticPosition{50.913421122592574, 6.387824755874856, 87.0});
    REQUIRE(scenario.targets.size() == 4);
    for (const auto& [name, area] : expected["planar"].items()) {
        INFO(name);
        REQUIRE(scenario.find_target(name));
        const auto& plane =
            std::get<PlanarTarget>(scenario.targets[*scenario.find_target(name)].geometry);
        check_vector(plane.center, area["center"]);
        check_vector(plane.normal, area["normal"]);
        CHECK(plane.width == Approx(number(area["plane_e"])).margin(1e-5).epsilon(0));
        CHECK(plane.height == Approx(number(area["plane_u"])).margin(1e-5).epsilon(0));
    }
    const json& receiver = expected["cylindrical"]["receiver"];
    REQUIRE(scenario.targets[3].name == "receiver");
    const auto& cylinder = std::get<CylindricalTarget>(scenario.targets[3].geometry);
    check_vector(cylinder.center, receiver["center"]);
    check_vector(cylinder.axis, receiver["axis"]);
    check_vector(cylinder.normal, receiver["normal"]);
    CHECK(cylinder.radius == number(receiver["radius"]));
    CHECK(cylinder.height == Approx(number(receiver["height"])).margin(1e-5).epsilon(0));
    CHECK(cylinder.opening_angle ==
          Approx(number(receiver["opening_angle"])).margin(1e-6).epsilon(0));
}

TEST_CASE("paint: a heliostat has ARTIST's properties") {
    const Scenario scenario = scenario_from_paint(three_of_juelich());
    const json expected = vectors()["heliostat_AA39"];
    REQUIRE(scenario.heliostats.size() == 3);
    CHECK(scenario.heliostats[0].name == "AA28");
    CHECK(scenario.heliostats[0].id == 2);
    // The prototype is the last one of the list, here the first by name.
    CHECK(scenario.heliostats[0].surface == scenario.prototypes.surface);
    // Its file calls the drives ideal, but they have levers and count steps.
    CHECK((*scenario.heliostats[0].actuators)[0].type == ActuatorType::linear);
    CHECK((*scenario.heliostats[0].actuators)[1].pivot_radius == 0.3191);

    const Heliostat& aa39 = scenario.heliostats[2];
    CHECK(aa39.name == "AA39");
    CHECK(aa39.id == 0);
    check_vector(aa39.position, expected["position"]);
    check_vector(aa39.kinematics->initial_orientation, expected["initial_orientation"]);
    REQUIRE(aa39.surface->facets.size() == 4);
    CHECK_FALSE(aa39.surface->is_fitted());
    for (size_t i = 0; i < 4; ++i) {
        const Facet& facet = aa39.surface->facets[i];
        CHECK(facet.name == "facet_" + std::to_string(i + 1));
        CHECK(facet.num_control_points == std::array<int64_t, 2>{10, 10});
        check_vector(facet.translation, expected["facet_translations"][i]);
        check_vector(facet.canting_e, expected["canting"][i][0]);
        check_vector(facet.canting_n, expected["canting"][i][1]);
    }
    for (size_t i = 0; i < 2; ++i) {
        const Actuator& actuator = (*aa39.actuators)[i];
        const json& item = expected["actuators"][i];
        const json& parameters = item["parameters"];
        CHECK(actuator.type == ActuatorType::linear);
        CHECK(actuator.clockwise == (item["clockwise"] != 0));
        CHECK(actuator.min_motor_position == number(item["min_max"][0]));
        CHECK(actuator.max_motor_position == number(item["min_max"][1]));
        CHECK(actuator.increment == Approx(number(parameters["increment"])).epsilon(1e-6));
        const auto close = [&](double value, const char* key) {
            INFO(key);
            CHECK(value == Approx(number(parameters[key])).margin(1e-7).epsilon(0));
        };
        close(actuator.initial_stroke_length, "initial_stroke_length");
        close(actuator.offset, "offset");
        close(actuator.pivot_radius, "pivot_radius");
        close(actuator.initial_angle, "initial_angle");
    }
    const KinematicsDeviations& d = aa39.kinematics->deviations;
    CHECK(d.concentrator_translation == Vec3{0, 0.175, 0});
    CHECK(d.first_joint_translation == Vec3{});
    CHECK(d.first_joint_tilt_n == 0.0);
}

TEST_CASE("paint: flat control points are ARTIST's") {
    PaintInputs inputs = three_of_juelich();
    inputs.control_points = {4, 4};
    const Scenario scenario = scenario_from_paint(inputs);
    const Facet& facet = scenario.heliostats[2].surface->facets[0];
    const json expected = vectors()["ideal_surface_4x4_facet1"];
    CHECK(facet.degrees[0] == expected["degrees"][0].get<int64_t>());
    REQUIRE(facet.control_points.size() == 48);
    for (size_t i = 0; i < 4; ++i) {
        for (size_t j = 0; j < 4; ++j) {
            const size_t at = 3 * (4 * i + j);
            check_vector({facet.control_points[at],
                          facet.control_points[at + 1],
                          facet.control_points[at + 2]},
                         expected["control_points"][i][j]);
        }
    }
}

TEST_CASE("paint: the light source is the usual one, the report says what was assumed") {
    std::vector<std::string> report;
    const Scenario scenario = scenario_from_paint(three_of_juelich(), &report);
    REQUIRE(scenario.light_sources.size() == 1);
    CHECK(scenario.light_sources[0].name == "sun");
    CHECK(scenario.light_sources[0].number_of_rays == 10);
    CHECK(std::get<GaussianShape>(scenario.light_sources[0].shape).sigma ==
          Approx(0.00209).epsilon(1e-12));
    std::string text;
    for (const std::string& line : report) text += line + "\n";
    for (const char* expected : {"sun: assumed to be Gaussian",
                                 "10 x 10 control points",
                                 "receiver: cylinder of radius 4.1400 m",
                                 "multi_focus_tower: plane of 5.4119 x 6.3875 m",
                                 "heliostat 'AA39' with 4 facets and linear actuators",
                                 "'renovation' ignored (and 2 more)",
                                 "limits in steps: taken as linear (and 1 more)"}) {
        CHECK_THAT(text, ContainsSubstring(expected));
    }
}

TEST_CASE("paint: drives that are called ideal are what the caller says") {
    PaintInputs inputs = three_of_juelich();
    inputs.drives_called_ideal = ActuatorType::ideal;
    const Scenario scenario = scenario_from_paint(inputs);
    CHECK((*scenario.heliostats[0].actuators)[0].type == ActuatorType::ideal);
    CHECK((*scenario.heliostats[2].actuators)[0].type == ActuatorType::linear);
}

TEST_CASE("paint: the scenario survives writing and reading") {
    const Scenario scenario = scenario_from_paint(three_of_juelich());
    const test::TemporaryFolder folder;
    write_scenario(scenario, folder / "a.h5");
    const Scenario back = read_scenario(folder / "a.h5");
    CHECK(equal(back, scenario));
    CHECK(back.warnings.empty());
}

TEST_CASE("paint: exact geodesy moves things by millimetres only") {
    PaintInputs inputs = three_of_juelich();
    inputs.exact_geodesy = true;
    const Scenario exact = scenario_from_paint(inputs);
    const Scenario linear = scenario_from_paint(three_of_juelich());
    for (size_t i = 0; i < 3; ++i) {
        for (size_t axis = 0; axis < 3; ++axis) {
            const double shift =
                exact.heliostats[i].position[axis] - linear.heliostats[i].position[axis];
            CHECK(std::abs(shift) < 2e-3);
        }
    }
    CHECK(exact.heliostats[0].position != linear.heliostats[0].position);
}
