// SPDX-License-Identifier: MIT
// A good file with one thing damaged gives exactly one problem, at its path and in its words.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/edit_file.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <functional>
#include <limits>

using namespace helioray;
using test::FileEditor;

namespace {

struct Damage {
    std::function<void(FileEditor&)> apply;
    std::string path;  // expected in Problem::where
    std::string text;  // expected in the message
};

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

const std::string kSun = "/lightsources/sun/";
const std::string kPrototypes = "/prototypes/";
const std::string kFacet = test::kH2Path + "surface/facets/facet_1/";
const std::string kActuator = test::kH2Path + "actuator/actuator_2/";

Damage removed(const std::string& path, const std::string& text) {
    return {[path](FileEditor& file) { file.remove(path); }, path, text};
}

Damage number(const std::string& path, double value, const std::string& text) {
    return {[path, value](FileEditor& file) { file.put(path, value); }, path, text};
}

Damage array(const std::string& path,
             const std::vector<double>& values,
             const hdf5::Shape& shape,
             const std::string& text) {
    return {[=](FileEditor& file) { file.put(path, values, shape); }, path, text};
}

Damage text(const std::string& path, const std::string& value, const std::string& expected) {
    return {[=](FileEditor& file) { file.put_text(path, value); }, path, expected};
}

void check_all(const Scenario& scenario, const std::vector<Damage>& damages) {
    const test::TemporaryFolder folder;
    const auto path = folder / "field.h5";
    write_scenario(scenario, folder / "good.h5");
    for (const Damage& damage : damages) {
        INFO(damage.path << ": " << damage.text);
        std::filesystem::copy_file(
            folder / "good.h5", path, std::filesystem::copy_options::overwrite_existing);
        {
            FileEditor editor(path);
            damage.apply(editor);
        }
        try {
            read_scenario(path);
            FAIL_CHECK("was read without an error");
        } catch (const InputError& error) {
            CHECK(error.problems().size() == 1);
            CHECK(error.problems()[0].where == path.string() + ": " + damage.path);
            CHECK_THAT(to_string(error.problems()[0]), ContainsSubstring(damage.text));
        }
    }
}

}  // namespace

TEST_CASE("scenario damage: plant and surroundings") {
    check_all(
        test::plain_scenario(),
        {
            removed("/power_plant", "group is missing"),
            removed("/power_plant/position", "dataset is missing"),
            array("/power_plant/position", {1, 2}, {2}, "has shape (2,), expected (3,)"),
            array("/power_plant/position", {95, 2, 3}, {3}, "(95, 2) is no latitude"),
            removed(test::kWallPath + "position_center", "dataset is missing"),
            array(test::kWallPath + "position_center", {0, kNan, 0, 1}, {4}, "contains nan"),
            array(test::kWallPath + "position_center",
                  {1, 2, 3, 4, 5},
                  {5},
                  "has shape (5,), expected"),
            text(test::kWallPath + "position_center", "here", "holds text, not numbers"),
            array(test::kWallPath + "normal_vector", {0, 0, 0, 0}, {4}, "is the zero vector"),
            number(test::kWallPath + "plane_e", 0.0, "is 0 (it must be greater than 0)"),
            number(test::kWallPath + "plane_u", -7.0, "is -7 (it must be greater than 0)"),
            number(test::kWallPath + "plane_u", kInf, "is inf (it must be finite)"),
            array(test::kWallPath + "plane_u",
                  {1, 2},
                  {2},
                  "has shape (2,), a single value was expected"),
            array(test::kReceiverPath + "cylinder_normal",
                  {0, 1, 0.1, 0},
                  {4},
                  "is not perpendicular"),
            array(test::kReceiverPath + "cylinder_axis", {0, 0, 0, 0}, {4}, "is the zero vector"),
            number(test::kReceiverPath + "cylinder_radius", 0.0, "must be greater than 0"),
            number(test::kReceiverPath + "cylinder_height", -1.0, "must be greater than 0"),
            number(test::kReceiverPath + "cylinder_opening_angle", 0.0, "must be greater than 0"),
            number(test::kReceiverPath + "cylinder_opening_angle",
                   361.0,
                   "in radians); store a value"),
            text(test::kReceiverPath + "side", "left", "'left' is unknown; use 'outer' or 'inner'"),
            {[](FileEditor& file) { file.move(test::kWallPath, "/target_areas_planar/receiver"); },
             "/target_areas_cylindrical/receiver",
             "a planar target area has the same name"},
            {[](FileEditor& file) {
                 file.remove(test::kWallPath);
                 file.remove(test::kReceiverPath);
             },
             "/",
             "there is no target area"},
            {[](FileEditor& file) {
                 file.remove("/target_areas_planar");
                 file.remove("/target_areas_cylindrical");
             },
             "/target_areas_planar",
             "target_areas_cylindrical too"},
            removed("/lightsources", "group is missing"),
            removed("/lightsources/sun/distribution_parameters", "group is missing"),
            {[](FileEditor& file) { file.remove(kSun); },
             "/lightsources",
             "there is no light source"},
            text(kSun + "type", "lamp", "'lamp' is unknown; use 'sun'"),
            number(kSun + "number_of_rays", 0.0, "at least one ray"),
            number(kSun + "number_of_rays", 2.5, "2.5 is not an integer"),
            text(kSun + "distribution_parameters/distribution_type",
                 "uniform",
                 "'uniform' is unknown"),
            removed(kSun + "distribution_parameters/covariance", "dataset is missing"),
            removed(kSun + "distribution_parameters/mean", "dataset is missing"),
            number(kSun + "distribution_parameters/covariance", -1e-6, "must not be negative"),
        });
}

TEST_CASE("scenario damage: heliostats and their components") {
    const std::string prototype = "/prototypes/actuator/actuator_1/";
    check_all(
        test::plain_scenario(),
        {
            removed("/heliostats", "group is missing"),
            {[](FileEditor& file) {
                 file.remove("/heliostats/h1");
                 file.remove("/heliostats/h2");
             },
             "/heliostats",
             "there is no heliostat"},
            removed(test::kH2Path + "position", "dataset is missing"),
            text(test::kH2Path + "id", "first", "holds text, not numbers"),
            {[](FileEditor& file) { file.remove("/prototypes/surface"); },
             "/heliostats/h1/surface",
             "there is no prototype for it; add it here or as /prototypes/surface"},
            {[](FileEditor& file) {
                 file.remove(test::kH2Path + "surface");
                 file.put(test::kH2Path + "surface", 1.0);
             },
             "/heliostats/h2/surface",
             "is not a group"},
            removed(test::kH2Path + "surface/facets", "group is missing"),
            {[](FileEditor& file) {
                 file.remove(test::kH2Path + "surface/facets");
                 file.add_group(test::kH2Path + "surface/facets");
             },
             test::kH2Path + "surface/facets",
             "there is no facet"},
            array(kFacet + "control_points",
                  std::vector<double>(24, 0.0),
                  {4, 2, 3},
                  "has 2 points along axis 1 for degree 2"),
            array(kFacet + "control_points",
                  std::vector<double>(24, 0.0),
                  {4, 6},
                  "has shape (4, 6), expected an array with 3 axes"),
            array(kFacet + "control_points",
                  std::vector<double>(48, 0.0),
                  {4, 3, 4},
                  "has shape (4, 3, 4), expected (nu, nv, 3)"),
            array(kFacet + "degrees", {3, 0}, {2}, "0 is not a spline degree"),
            array(kFacet + "degrees", {3}, {1}, "has shape (1,), expected (2,)"),
            array(kFacet + "canting", {1, 0, 0, 0, 2, 0, 0, 0}, {2, 4}, "zero or parallel"),
            array(kFacet + "canting", {1, 0, 0, 0}, {4}, "has shape (4,), expected an array"),
            array(kFacet + "canting", {1, 0, 0, 1}, {2, 2}, "has shape (2, 2), expected (2, 4)"),
            text(kFacet + "shape", "cone", "'cone' is unknown; use 'bspline', 'flat'"),
            removed(kFacet + "position", "dataset is missing"),
            text(test::kH2Path + "kinematics/type",
                 "hexapod",
                 "'hexapod' is unknown; use 'rigid_body'"),
            removed(test::kH2Path + "kinematics/type", "dataset is missing"),
            removed(test::kH2Path + "kinematics/initial_orientation", "dataset is missing"),
            number(test::kH2Path + "kinematics/deviations/first_joint_tilt_n", kNan, "is nan"),
            text(
                kActuator + "type", "hydraulic", "'hydraulic' is unknown; use 'linear' or 'ideal'"),
            text(kActuator + "type", "ideal", "expected 'linear' as in actuator_1, found 'ideal'"),
            text(prototype + "type", "none", "'none' is unknown"),
            removed(kActuator + "clockwise_axis_movement", "dataset is missing"),
            array(kActuator + "min_max_motor_positions", {1, 2, 3}, {3}, "expected (2,)"),
            array(kActuator + "min_max_motor_positions", {5, 2}, {2}, "minimum 5 is above the"),
            number(kActuator + "parameters/increment", 0.0, "must be greater than 0"),
            number(kActuator + "parameters/offset", 0.0, "must be greater than 0"),
            removed(kActuator + "parameters/pivot_radius", "dataset is missing"),
            {[](FileEditor& file) { file.remove(kActuator); },
             test::kH2Path + "actuator",
             "expected 2 actuators, found 1"},
            {[](FileEditor& file) { file.add_group(test::kH2Path + "actuator/actuator_3"); },
             test::kH2Path + "actuator",
             "expected 2 actuators, found 3"},
        });
}

TEST_CASE("scenario damage: extensions") {
    Scenario scenario = test::rich_scenario();
    const std::string facets = "/heliostats/h3/surface/facets/";
    const auto sun = [](const std::string& name) {
        return "/lightsources/" + name + "/distribution_parameters/";
    };
    check_all(scenario,
              {
                  // h3 is equal to another heliostat; only this one is damaged.
                  removed(facets + "sphere/focal_length", "dataset is missing"),
                  number(facets + "sphere/focal_length", 0.1, "half diagonal of 1.00002 m"),
                  number(facets + "paraboloid/focal_length", 0.0, "must be greater than 0"),
                  removed(facets + "spline/control_points", "dataset is missing"),
                  number(sun("b") + "half_angle", 4.65, "less than pi / 2"),
                  number(sun("c") + "csr", 0.9, "is 0.9, outside of 0 to 0.8"),
                  number(sun("c") + "csr", -0.1, "is -0.1, outside of 0 to 0.8"),
                  array(sun("f") + "angle", {0, 0.02, 0.01}, {3}, "does not ascend"),
                  array(sun("f") + "angle", {0.1, 0.2, 0.3}, {3}, "does not ascend from 0"),
                  array(sun("f") + "radiance", {1, 2}, {2}, "has 2 values for 3 angles"),
                  array(sun("f") + "radiance", {0, 0, 0}, {3}, "zero everywhere"),
                  removed(sun("f") + "radiance", "dataset is missing"),
              });
}

TEST_CASE("scenario damage: all problems of a file are reported together") {
    const test::TemporaryFolder folder;
    const auto path = folder / "field.h5";
    write_scenario(test::plain_scenario(), path);
    {
        FileEditor file(path);
        file.put(test::kWallPath + "plane_e", -1.0);
        file.remove(kSun + "type");
        file.put(kFacet + "degrees", {9, 9}, {2});
        file.put_text(kPrototypes + "kinematics/type", "x");
        file.remove(kActuator + "parameters");
    }
    try {
        read_scenario(path);
        FAIL("was read");
    } catch (const InputError& error) {
        // One each, two axes of the spline, three parameters of the lever.
        CHECK(error.problems().size() == 8);
    }
}

TEST_CASE("scenario damage: files that are no scenarios") {
    const test::TemporaryFolder folder;
    for (const auto& [format, kind] : {std::pair("helioray-result", "a result file"),
                                       std::pair("helioray-annual", "the yield of a year"),
                                       std::pair("helioray-efficiency", "an efficiency table"),
                                       std::pair("helioray-sweep", "the table of a sweep")}) {
        hdf5::write_file(folder / "result.h5", [name = format](hdf5::Group root) {
            root.write_attribute("format", name);
        });
        CHECK_THROWS_WITH(read_scenario(folder / "result.h5"),
                          ContainsSubstring(std::string("is ") + kind + ", not a scenario"));
    }
    CHECK_THROWS_AS(read_scenario(folder / "absent.h5"), InputError);

    write_scenario(test::plain_scenario(), folder / "cut.h5");
    std::filesystem::resize_file(folder / "cut.h5",
                                 std::filesystem::file_size(folder / "cut.h5") * 2 / 3);
    CHECK_THROWS_WITH(read_scenario(folder / "cut.h5"), ContainsSubstring("truncated"));
}
