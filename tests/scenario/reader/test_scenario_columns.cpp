// SPDX-License-Identifier: MIT
// Heliostats in columns are the same scenario as heliostats in groups, and damaged columns are
// refused in words.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/edit_file.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <limits>
#include <set>

using namespace helioray;
using test::FileEditor;
using test::TemporaryFolder;

namespace {

/// A scenario with everything that a heliostat can have.
Scenario complete_scenario() {
    Scenario scenario = test::rich_scenario();
    scenario.targets.push_back({"dish", DiscTarget{{1, 2, 30}, {0, 0.6, -0.8}, 2.5}});
    Surface surface = *scenario.heliostats[1].surface;
    surface.facets[1].slope_deviation.assign(128, 1e-3);
    surface.facets[1].slope_deviation[17] = 2e-3;
    scenario.heliostats[1].surface = std::make_shared<const Surface>(surface);
    ActuatorPair actuators = *scenario.heliostats[1].actuators;
    actuators[0].clockwise = true;
    actuators[1].initial_angle = -1.25;
    scenario.heliostats[1].actuators = std::make_shared<const ActuatorPair>(actuators);
    return scenario;
}

void write_columns(const Scenario& scenario, const std::filesystem::path& path) {
    write_scenario(scenario, path, {}, ScenarioFormat::columns);
}

/// The scenario with its first heliostat this many times.
Scenario repeated(size_t count) {
    Scenario scenario = test::plain_scenario();
    const Heliostat first = scenario.heliostats.front();
    scenario.heliostats.assign(count, first);
    for (size_t i = 0; i < count; ++i)
        scenario.heliostats[i].name = "h" + std::to_string(100000 + i);
    return scenario;
}

std::string error_of(const std::filesystem::path& path) {
    try {
        read_scenario(path);
    } catch (const InputError& error) {
        CHECK(error.problems().size() == 1);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("columns: everything comes back, and goes on to ARTIST's format") {
    const TemporaryFolder folder;
    for (const Scenario& scenario : {test::plain_scenario(), complete_scenario()}) {
        write_columns(scenario, folder / "columns.h5");
        const Scenario back = read_scenario(folder / "columns.h5");
        CHECK(equal(back, scenario));
        write_scenario(back, folder / "groups.h5", {}, ScenarioFormat::artist);
        const Scenario groups = read_scenario(folder / "groups.h5");
        CHECK(equal(groups, scenario));
        CHECK(back.warnings.size() == groups.warnings.size());
    }
    const hdf5::Group root = hdf5::File::open(folder / "columns.h5").root();
    CHECK_FALSE(root.contains("heliostats"));
    CHECK_FALSE(root.contains("prototypes"));
}

TEST_CASE("columns: components are shared as in ARTIST's format") {
    const TemporaryFolder folder;
    Scenario scenario = test::rich_scenario();
    // An equal component with another owner is the same component.
    scenario.heliostats[1].surface = std::make_shared<const Surface>(*scenario.prototypes.surface);
    write_columns(scenario, folder / "a.h5");
    const Scenario back = read_scenario(folder / "a.h5");
    CHECK(back.heliostats[0].kinematics == back.prototypes.kinematics);
    CHECK(back.heliostats[1].surface == back.prototypes.surface);
    CHECK(back.heliostats[2].surface == back.heliostats[3].surface);
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    CHECK(root.dataset("heliostat_columns/surface/num_facets").size() == 2);
    CHECK(root.dataset("heliostat_columns/kinematics/type").size() == 3);
}

TEST_CASE("columns: names are in the order of ARTIST's format") {
    const TemporaryFolder folder;
    Scenario scenario = test::plain_scenario();
    std::swap(scenario.heliostats[0], scenario.heliostats[1]);
    Surface surface = *scenario.heliostats[0].surface;
    std::swap(surface.facets[0], surface.facets[1]);
    scenario.heliostats[0].surface = std::make_shared<const Surface>(surface);
    ActuatorPair actuators = *scenario.heliostats[0].actuators;
    std::swap(actuators[0], actuators[1]);
    scenario.heliostats[0].actuators = std::make_shared<const ActuatorPair>(actuators);
    write_scenario(scenario, folder / "groups.h5", {}, ScenarioFormat::artist);
    write_columns(scenario, folder / "columns.h5");
    CHECK(equal(read_scenario(folder / "columns.h5"), read_scenario(folder / "groups.h5")));
}

TEST_CASE("columns: fields are written in them from their size on") {
    using enum ScenarioFormat;
    CHECK(scenario_format(repeated(kHeliostatsOfColumns - 1), automatic) == artist);
    CHECK(scenario_format(repeated(kHeliostatsOfColumns), automatic) == columns);
    CHECK(scenario_format(repeated(kHeliostatsOfColumns), artist) == artist);
    CHECK(scenario_format(repeated(1), columns) == columns);

    // Mirrors that heliostats share count once.
    Scenario scenario = repeated(20);
    Surface surface;
    surface.facets.assign(kFacetsOfColumns / 10, scenario.prototypes.surface->facets.front());
    const auto shared = std::make_shared<const Surface>(surface);
    for (Heliostat& heliostat : scenario.heliostats) heliostat.surface = shared;
    CHECK(scenario_format(scenario, automatic) == artist);
    for (Heliostat& heliostat : scenario.heliostats)
        heliostat.surface = std::make_shared<const Surface>(surface);
    CHECK(scenario_format(scenario, automatic) == columns);

    const TemporaryFolder folder;
    const Scenario large = repeated(kHeliostatsOfColumns);
    write_scenario(large, folder / "large.h5");
    CHECK(hdf5::File::open(folder / "large.h5").root().contains("heliostat_columns"));
    CHECK(equal(read_scenario(folder / "large.h5"), large));
}

TEST_CASE("columns: some of the heliostats are read alone") {
    const TemporaryFolder folder;
    const Scenario scenario = complete_scenario();
    write_columns(scenario, folder / "a.h5");
    const Scenario some = read_scenario(folder / "a.h5", std::set<std::string>{"h2"});
    REQUIRE(some.heliostats.size() == scenario.heliostats.size());
    CHECK(*some.heliostats[1].surface == *scenario.heliostats[1].surface);
    CHECK(some.heliostats[1].position == scenario.heliostats[1].position);
    for (const size_t other : {0, 2, 3}) {
        CHECK(some.heliostats[other].name == scenario.heliostats[other].name);
        CHECK_FALSE(some.heliostats[other].surface);
    }
}

TEST_CASE("columns: a file is changed as one in ARTIST's format") {
    const TemporaryFolder folder;
    const Scenario scenario = complete_scenario();
    Scenario change = scenario;
    // h4 shares its components with h3 and keeps them.
    Heliostat& changed = change.heliostats[2];
    changed.position[0] += 1.0;
    Kinematics kinematics = *changed.kinematics;
    kinematics.deviations.concentrator_translation[2] = 0.25;
    changed.kinematics = std::make_shared<const Kinematics>(kinematics);
    for (const size_t other : {0, 1, 3}) {
        Heliostat unchanged;
        unchanged.name = change.heliostats[other].name;
        change.heliostats[other] = unchanged;
    }
    Scenario expected = scenario;
    expected.heliostats[2] = changed;

    write_columns(scenario, folder / "a.h5");
    const auto size = std::filesystem::file_size(folder / "a.h5");
    for (int i = 0; i < 20; ++i) {
        change_scenario(folder / "a.h5", folder / "a.h5", change, [](hdf5::Group&) {});
        CHECK(equal(read_scenario(folder / "a.h5"), expected));
    }
    CHECK(std::filesystem::file_size(folder / "a.h5") < 2 * size);

    change.heliostats[2].name = "h9";
    CHECK_THROWS_WITH(
        change_scenario(folder / "a.h5", folder / "b.h5", change, [](hdf5::Group&) {}),
        ContainsSubstring("there is no heliostat 'h9'"));
    CHECK_FALSE(std::filesystem::exists(folder / "b.h5"));
}

TEST_CASE("columns: damaged ones are refused with their path") {
    const TemporaryFolder folder;
    write_columns(complete_scenario(), folder / "good.h5");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::string columns = "/heliostat_columns/";
    const auto problem = [&](const std::string& path, const auto& damage) {
        std::filesystem::copy_file(folder / "good.h5",
                                   folder / "bad.h5",
                                   std::filesystem::copy_options::overwrite_existing);
        {
            FileEditor editor(folder / "bad.h5");
            damage(editor, columns + path);
        }
        const std::string error = error_of(folder / "bad.h5");
        CHECK_THAT(error, ContainsSubstring(path.empty() ? "/heliostat_columns" : columns + path));
        return error;
    };
    const auto put = [&](const std::string& path,
                         const std::vector<double>& values,
                         const hdf5::Shape& shape,
                         test::Stored stored = test::Stored::float64) {
        return problem(path, [&](FileEditor& file, const std::string& full) {
            file.put(full, values, shape, stored);
        });
    };
    using enum test::Stored;
    const auto removed = [](FileEditor& file, const std::string& path) { file.remove(path); };

    // A column that is missing, or has too few rows.
    for (const char* path : {"heliostat/id",
                             "heliostat/position",
                             "heliostat/surface",
                             "facet/canting",
                             "facet/shape_words",
                             "facet/slope_deviation",
                             "facet/has_slope_deviation",
                             "kinematics/first_joint_tilt_n",
                             "actuator/axis_2/increment",
                             "prototype/kinematics"}) {
        CHECK_THAT(problem(path, removed), ContainsSubstring("missing"));
    }
    CHECK_THAT(put("heliostat/position", std::vector<double>(9, 1.0), {3, 3}),
               ContainsSubstring("has shape (3, 3), expected (4, 3)"));
    CHECK_THAT(put("heliostat/position", std::vector<double>(12, nan), {4, 3}),
               ContainsSubstring("row 0 (from 0) is not finite, and 3 more rows"));

    // Rows that are not there.
    CHECK_THAT(put("heliostat/surface", {0, 1, 3, 0}, {4}, int64),
               ContainsSubstring("row 2 (from 0) is out of range"));
    CHECK_THAT(put("heliostat/kinematics", {0, -1, 1, 0}, {4}, int64),
               ContainsSubstring("row 1 (from 0) is out of range"));
    CHECK_THAT(put("prototype/actuator", {7}, {1}, int64), ContainsSubstring("out of range"));
    CHECK_THAT(put("heliostat/surface", {0, 1, 0.5, 0}, {4}),
               ContainsSubstring("does not hold integers"));
    CHECK_THAT(put("surface/num_facets", {2, 2, 5}, {3}, int64),
               ContainsSubstring("does not add up to the 8 facets"));
    CHECK_THAT(put("surface/num_facets", {2, 9e18, 4}, {3}, int64), ContainsSubstring("add up"));
    CHECK_THAT(put("surface/num_facets", {4, 0, 4}, {3}, int64),
               ContainsSubstring("row 1 (from 0) is not greater than 0"));

    // Values without a meaning. Eight facets: two of the prototype, two of h2, four of h3 and h4.
    std::vector<double> canting(48, 0.0);
    CHECK_THAT(put("facet/canting", canting, {8, 2, 3}), ContainsSubstring("zero or parallel"));
    CHECK_THAT(put("facet/focal_length", std::vector<double>(8, -1.0), {8}),
               ContainsSubstring("is not greater than 0"));
    CHECK_THAT(put("facet/focal_length", std::vector<double>(8, 0.1), {8}),
               ContainsSubstring("too small for its facet"));
    CHECK_THAT(put("facet/degrees", std::vector<double>(16, 0.0), {8, 2}, int64),
               ContainsSubstring("not a spline degree"));
    CHECK_THAT(put("facet/num_control_points", std::vector<double>(16, 3.0), {8, 2}, int64),
               ContainsSubstring("does not suit the degrees"));
    CHECK_THAT(put("facet/num_control_points", std::vector<double>(16, 5.0), {8, 2}, int64),
               ContainsSubstring("add up"));
    CHECK_THAT(put("facet/name", std::vector<double>(8, 0.0), {8}, int64),
               ContainsSubstring("is not in order"));
    CHECK_THAT(put("actuator/axis_1/offset", std::vector<double>(2, 0.0), {2}),
               ContainsSubstring("row 1 (from 0) is not greater than 0"));
    CHECK_THAT(put("actuator/axis_1/min_motor_position", std::vector<double>(2, 1e9), {2}),
               ContainsSubstring("is above the maximum"));
    CHECK_THAT(
        problem("", [](FileEditor& file, const std::string&) { file.add_group("heliostats"); }),
        ContainsSubstring("has a group 'heliostats', too"));
}

TEST_CASE("columns: kinds that are unknown are named") {
    const TemporaryFolder folder;
    write_columns(test::plain_scenario(), folder / "a.h5");
    const std::string words = "/heliostat_columns/kinematics/type_words";
    FileEditor(folder / "a.h5").put_text(words, "cardanic");
    const std::string error = error_of(folder / "a.h5");
    CHECK_THAT(error, ContainsSubstring(words));
    CHECK_THAT(error, ContainsSubstring("'cardanic' is unknown"));
    CHECK_THAT(error, ContainsSubstring("'rigid_body' or 'azimuth_elevation'"));
}

TEST_CASE("columns: the writer refuses what ARTIST's format cannot hold") {
    const TemporaryFolder folder;
    const auto write = [&](auto change) {
        Scenario scenario = test::plain_scenario();
        change(scenario);
        write_columns(scenario, folder / "a.h5");
    };
    CHECK_THROWS_WITH(write([](Scenario& s) { s.heliostats[0].name = "A/1"; }),
                      ContainsSubstring("'A/1' cannot be a name"));
    CHECK_THROWS_WITH(write([](Scenario& s) { s.heliostats[0].name = "h2"; }),
                      ContainsSubstring("the name 'h2' occurs twice"));
    CHECK_THROWS_WITH(write([](Scenario& s) {
                          Surface surface = *s.heliostats[1].surface;
                          surface.facets[1].name = surface.facets[0].name;
                          s.heliostats[1].surface = std::make_shared<const Surface>(surface);
                      }),
                      ContainsSubstring("the name 'facet_1' occurs twice"));
    CHECK_FALSE(std::filesystem::exists(folder / "a.h5"));
}
