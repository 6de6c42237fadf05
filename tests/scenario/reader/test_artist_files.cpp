// SPDX-License-Identifier: MIT
// ARTIST's sample scenarios: every file loads with the numbers it documents or gives its error.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

namespace {

// Path of a sample; empty where it is not there.
std::string sample(const std::string& name) {
    const std::string folder = test::artist_data_dir();
    if (folder.empty() || !std::filesystem::exists(folder + "/" + name)) return "";
    return folder + "/" + name;
}

void check_round_trip(const Scenario& scenario) {
    const test::TemporaryFolder folder;
    write_scenario(scenario, folder / "a.h5");
    CHECK(equal(read_scenario(folder / "a.h5"), scenario));
}

}  // namespace

TEST_CASE("artist files: single heliostat") {
    for (const char* name :
         {"single_heliostat_scenario.h5", "test_scenario_stral_single_heliostat.h5"}) {
        if (sample(name).empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA has no sample scenarios");
        INFO(name);
        const Scenario scenario = read_scenario(sample(name));
        CHECK(scenario.version == 1.0);
        REQUIRE(scenario.heliostats.size() == 1);
        const Heliostat& heliostat = scenario.heliostats[0];
        CHECK(heliostat.name == "heliostat_1");
        CHECK(heliostat.id == 1);
        CHECK(heliostat.position == Vec3{0, 5, 0});
        CHECK(heliostat.surface == scenario.prototypes.surface);
        REQUIRE(heliostat.surface->facets.size() == 4);
        CHECK(heliostat.surface->is_fitted());
        const Facet& facet = heliostat.surface->facets[0];
        CHECK(facet.num_control_points == std::array<int64_t, 2>{10, 10});
        CHECK(facet.degrees == std::array<int64_t, 2>{3, 3});
        CHECK(facet.control_points.front() == Approx(-1.6144307).epsilon(1e-7));
        CHECK(facet.control_points.back() == Approx(0.038372700).epsilon(1e-7));
        CHECK(facet.translation[1] == Approx(0.6425).epsilon(1e-7));
        CHECK(facet.canting_e[2] == Approx(-0.0049845674).epsilon(1e-7));
        CHECK(facet.canting_n[1] == Approx(0.63749224).epsilon(1e-7));
        const ActuatorPair& actuators = *heliostat.actuators;
        CHECK(actuators[0].type == ActuatorType::ideal);
        CHECK_FALSE(actuators[0].clockwise);
        CHECK(actuators[1].clockwise);
        CHECK(actuators[1].max_motor_position == 80000.0);
        REQUIRE(scenario.light_sources.size() == 1);
        CHECK(scenario.light_sources[0].number_of_rays == 10);
        CHECK(std::get<GaussianShape>(scenario.light_sources[0].shape).sigma ==
              Approx(0.00209).epsilon(1e-9));
        REQUIRE(scenario.targets.size() == 2);
        const auto& plane = std::get<PlanarTarget>(scenario.targets[0].geometry);
        CHECK(plane.width == Approx(8.629666667).epsilon(1e-7));
        const auto& cylinder = std::get<CylindricalTarget>(scenario.targets[1].geometry);
        CHECK(cylinder.opening_angle == 60.0);
        // Deviations that are missing, an orientation that is not south, 60 rad.
        CHECK(scenario.warnings.size() == 3);
        check_round_trip(scenario);
    }
}

TEST_CASE("artist files: four heliostats") {
    for (const char* name : {"test_scenario_paint_four_heliostats.h5",
                             "test_scenario_paint_four_heliostats_ideal.h5"}) {
        if (sample(name).empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA has no sample scenarios");
        INFO(name);
        const Scenario scenario = read_scenario(sample(name));
        CHECK(scenario.warnings.empty());
        CHECK(scenario.position == GeodeticPosition{50.913421122592574, 6.387824755874856, 87.0});
        REQUIRE(scenario.heliostats.size() == 4);
        const std::vector<std::string> names{"AA28", "AA31", "AA39", "AC43"};
        for (size_t i = 0; i < 4; ++i) CHECK(scenario.heliostats[i].name == names[i]);
        // The prototype is a copy of the last one.
        CHECK(scenario.heliostats[3].surface == scenario.prototypes.surface);
        CHECK(scenario.heliostats[3].actuators == scenario.prototypes.actuators);
        const Heliostat& aa39 = scenario.heliostats[2];
        CHECK(aa39.position[0] == Approx(13.2578125).epsilon(1e-7));
        const bool ideal_surface = std::string(name).find("ideal") != std::string::npos;
        CHECK(aa39.surface->is_fitted() != ideal_surface);
        CHECK(aa39.kinematics->deviations.concentrator_translation[1] ==
              Approx(0.175).epsilon(1e-7));
        const Actuator& axis_1 = (*aa39.actuators)[0];
        CHECK(axis_1.type == ActuatorType::linear);
        CHECK(axis_1.increment == Approx(154166.67).epsilon(1e-7));
        CHECK(axis_1.initial_angle == Approx(0.039009538).epsilon(1e-7));
        CHECK(axis_1.max_motor_position == 68745.0);
        CHECK((*scenario.heliostats[0].actuators)[0].type == ActuatorType::ideal);

        const std::vector<std::string> targets{"multi_focus_tower",
                                               "solar_tower_juelich_lower",
                                               "solar_tower_juelich_upper",
                                               "receiver"};
        REQUIRE(scenario.targets.size() == 4);
        for (size_t i = 0; i < 4; ++i) CHECK(scenario.targets[i].name == targets[i]);
        const auto& receiver = std::get<CylindricalTarget>(scenario.targets[3].geometry);
        CHECK(receiver.opening_angle == Approx(1.0471976).epsilon(1e-7));
        CHECK(receiver.height == Approx(5.2291923).epsilon(1e-7));
        check_round_trip(scenario);
    }
}

TEST_CASE("artist files: blocking") {
    if (sample("test_blocking.h5").empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA has no samples");
    const Scenario scenario = read_scenario(sample("test_blocking.h5"));
    REQUIRE(scenario.heliostats.size() == 6);
    CHECK(scenario.heliostats[3].position == Vec3{0, -20, 0});
    // Equal components are held once.
    for (const Heliostat& heliostat : scenario.heliostats) {
        CHECK(heliostat.kinematics == scenario.heliostats[0].kinematics);
        CHECK(heliostat.actuators == scenario.heliostats[0].actuators);
    }
    CHECK(scenario.heliostats[0].kinematics->deviations.second_joint_translation[2] ==
          Approx(0.315).epsilon(1e-7));
    REQUIRE(scenario.targets.size() == 11);
    CHECK(scenario.targets[4].name == "target_4");
    CHECK(std::get<PlanarTarget>(scenario.targets[4].geometry).normal == Vec3{0, 0, -1});
    REQUIRE(scenario.warnings.size() == 1);
    CHECK_THAT(scenario.warnings[0], ContainsSubstring("initial orientations other than south"));
    check_round_trip(scenario);
}

TEST_CASE("artist files: broken ones give their error") {
    const std::string individual = sample("test_broken_scenario_actuator_individual.h5");
    const std::string prototype = sample("test_broken_scenario_actuator_prototype.h5");
    if (individual.empty() || prototype.empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA has no samples");
    CHECK_THROWS_WITH(read_scenario(individual),
                      ContainsSubstring("/heliostats/AA28/actuator/") &&
                          ContainsSubstring("expected '") && ContainsSubstring("found '"));
    CHECK_THROWS_WITH(read_scenario(prototype),
                      ContainsSubstring("/prototypes/actuator/") &&
                          ContainsSubstring("expected '") && ContainsSubstring("found '"));
}
