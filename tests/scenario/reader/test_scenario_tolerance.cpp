// SPDX-License-Identifier: MIT
// Other spellings of the same scenario are accepted, with a warning where something was assumed.
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/edit_file.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"
#include "tests/support/golden_messages.h"

#include <functional>
#include <numbers>

using namespace helioray;
using test::FileEditor;
using test::Stored;

namespace {

Scenario read_edited(const std::function<void(FileEditor&)>& edit) {
    const test::TemporaryFolder folder;
    write_scenario(test::plain_scenario(), folder / "a.h5");
    {
        FileEditor editor(folder / "a.h5");
        edit(editor);
    }
    return read_scenario(folder / "a.h5");
}

const std::string kActuatorPath = test::kH2Path + "actuator/actuator_1/";

}  // namespace

TEST_CASE("scenario tolerance: types and shapes that mean the same") {
    struct Case {
        std::string path;
        std::vector<double> values;
        hdf5::Shape shape;
        Stored stored;
    };
    const std::vector<Case> cases{
        {test::kWallPath + "normal_vector", {0, 1, 0, 0}, {1, 4}, Stored::int64},
        {test::kWallPath + "normal_vector", {0, 1, 0}, {3}, Stored::int32},
        {test::kWallPath + "position_center", {0, -3, 43, 1}, {1, 4}, Stored::float32},
        {test::kWallPath + "position_center", {0, -3, 43}, {1, 1, 3}, Stored::big_endian_float32},
        {"/heliostats/h1/position", {0, 25, 1.5, 1}, {1, 4}, Stored::float32},
        {"/heliostats/h1/id", {7}, {1}, Stored::float32},
        {"/lightsources/sun/number_of_rays", {10}, {1}, Stored::int32},
        {"/lightsources/sun/number_of_rays", {10}, {1, 1}, Stored::float64},
        {"/lightsources/sun/distribution_parameters/mean", {0}, {}, Stored::int64},
        {kActuatorPath + "clockwise_axis_movement", {0}, {}, Stored::int64},
        {"/prototypes/actuator/actuator_2/clockwise_axis_movement", {1}, {1}, Stored::int32},
        {kActuatorPath + "min_max_motor_positions", {0, 60000}, {2}, Stored::int64},
        {kActuatorPath + "min_max_motor_positions", {0, 60000}, {1, 2}, Stored::int32},
        {test::kH2Path + "surface/facets/facet_1/degrees", {3, 2}, {2}, Stored::int32},
        {test::kH2Path + "surface/facets/facet_1/degrees", {3, 2}, {1, 2}, Stored::float64},
        {test::kH2Path + "kinematics/initial_orientation", {0, -1, 0, 0}, {1, 4}, Stored::int64},
        {test::kWallPath + "geometry", {1}, {}, Stored::int64},
    };
    const Scenario plain = test::plain_scenario();
    for (const Case& item : cases) {
        INFO(item.path << " " << hdf5::to_string(item.shape));
        const Scenario scenario = read_edited(
            [&](FileEditor& file) { file.put(item.path, item.values, item.shape, item.stored); });
        CHECK(equal(scenario, plain));
        CHECK(scenario.warnings.empty());
    }
}

TEST_CASE("scenario tolerance: datasets that are not known are left out with a warning") {
    const Scenario plain = test::plain_scenario();
    for (const std::string path : {std::string("/extra"),
                                   test::kWallPath + "reflectivity",
                                   std::string("/heliostats/h1/reflectivity"),
                                   std::string("/lightsources/sun/sigma"),
                                   std::string("/lightsources/sun/distribution_parameters/csr"),
                                   kActuatorPath + "backlash",
                                   test::kH2Path + "surface/facets/facet_1/roughness",
                                   test::kH2Path + "kinematics/sag",
                                   std::string("/power_plant/altitude")}) {
        const Scenario scenario = read_edited([&](FileEditor& file) {
            file.put(path, {1, 2}, {2}, Stored::int64);
        });
        INFO(path);
        CHECK(equal(scenario, plain));
        REQUIRE(scenario.warnings.size() == 1);
        CHECK_THAT(scenario.warnings[0], ContainsSubstring(path));
        CHECK_THAT(scenario.warnings[0], ContainsSubstring("is unknown here and not used"));
    }
}

TEST_CASE("scenario tolerance: empty groups of targets may be missing") {
    const Scenario planar =
        read_edited([](FileEditor& f) { f.remove("/target_areas_cylindrical"); });
    REQUIRE(planar.targets.size() == 1);
    CHECK(planar.targets[0].name == "wall");
    const Scenario round = read_edited([](FileEditor& f) { f.remove("/target_areas_planar"); });
    REQUIRE(round.targets.size() == 1);
    CHECK(round.targets[0].name == "receiver");
}

TEST_CASE("scenario tolerance: prototypes may be missing when nobody needs them") {
    const Scenario scenario = read_edited([](FileEditor& file) {
        file.remove("/prototypes");
        file.remove("/heliostats/h1");
    });
    REQUIRE(scenario.heliostats.size() == 1);
    CHECK(scenario.prototypes.surface == scenario.heliostats[0].surface);
    CHECK(scenario.prototypes.kinematics == scenario.heliostats[0].kinematics);
    CHECK(scenario.prototypes.actuators == scenario.heliostats[0].actuators);
}

TEST_CASE("scenario tolerance: what is assumed is said once per kind") {
    const Scenario scenario = read_edited([](FileEditor& file) {
        file.remove(test::kH2Path + "kinematics/deviations");
        file.remove(kActuatorPath + "parameters/initial_angle");
        file.put(test::kH2Path + "kinematics/initial_orientation", {0, 0, 1, 0}, {4});
        file.put("/prototypes/kinematics/initial_orientation", {0, 0, 1, 0}, {4});
        file.put(test::kWallPath + "normal_vector", {0, 2, 0, 0}, {4});
        file.put(test::kReceiverPath + "cylinder_opening_angle", {60}, {}, Stored::int64);
        file.remove_attribute("version");
    });
    const Heliostat& h2 = scenario.heliostats[1];
    CHECK(h2.kinematics->deviations == KinematicsDeviations{});
    CHECK((*h2.actuators)[0].initial_angle == 0.0);
    CHECK(h2.kinematics->initial_orientation == Vec3{0, 0, 1});
    CHECK(std::get<PlanarTarget>(scenario.targets[0].geometry).normal == Vec3{0, 1, 0});
    CHECK(std::get<CylindricalTarget>(scenario.targets[1].geometry).opening_angle == 60.0);
    CHECK(scenario.version == 1.0);

    const std::vector<std::vector<std::string>> expected{
        {"@version: missing", "1.0"},
        {test::kWallPath + "normal_vector", "normalised"},
        {"60 rad", "1.047198 rad"},
        {"/prototypes/kinematics/initial_orientation", "and 1 more"},
        {"deviations/first_joint_translation_e: missing", "and 13 more"},
    };
    REQUIRE(scenario.warnings.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        const std::string& warning = scenario.warnings[i];
        const std::string place = warning.substr(warning.find(": ") + 2);
        test::check_message(
            "scenario_warnings", "assumption " + std::to_string(i + 1), place, expected[i]);
    }
}

TEST_CASE("scenario tolerance: a full turn in single precision is a full turn") {
    const Scenario scenario = read_edited([](FileEditor& file) {
        file.put(test::kReceiverPath + "cylinder_opening_angle", {6.2831855}, {}, Stored::float32);
    });
    CHECK(std::get<CylindricalTarget>(scenario.targets[1].geometry).opening_angle ==
          2 * std::numbers::pi);
    CHECK(scenario.warnings.empty());
}

TEST_CASE("scenario tolerance: only the first of several light sources counts, and is said") {
    const test::TemporaryFolder folder;
    write_scenario(test::rich_scenario(), folder / "a.h5");
    const Scenario scenario = read_scenario(folder / "a.h5");
    REQUIRE(scenario.warnings.size() == 1);
    CHECK_THAT(scenario.warnings[0], ContainsSubstring("of 6 light sources only 'a' is used"));
}
