// SPDX-License-Identifier: MIT
// A scenario that is written and read back is the same, and shares what it shared.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/scenario/sun/shapes.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <functional>

using namespace helioray;

namespace {

Scenario round_trip(const Scenario& scenario) {
    const test::TemporaryFolder folder;
    write_scenario(scenario, folder / "scenario.h5");
    return read_scenario(folder / "scenario.h5");
}

}  // namespace

TEST_CASE("scenario: plain and rich ones come back equal") {
    for (const Scenario& scenario : {test::plain_scenario(), test::rich_scenario()}) {
        const Scenario back = round_trip(scenario);
        CHECK(back.targets == scenario.targets);
        CHECK(back.light_sources == scenario.light_sources);
        REQUIRE(back.heliostats.size() == scenario.heliostats.size());
        for (size_t i = 0; i < back.heliostats.size(); ++i) {
            INFO(scenario.heliostats[i].name);
            CHECK(back.heliostats[i].name == scenario.heliostats[i].name);
            CHECK(*back.heliostats[i].surface == *scenario.heliostats[i].surface);
            CHECK(*back.heliostats[i].kinematics == *scenario.heliostats[i].kinematics);
            CHECK(*back.heliostats[i].actuators == *scenario.heliostats[i].actuators);
        }
        CHECK(equal(back, scenario));
        CHECK(equal(round_trip(back), back));
    }
}

TEST_CASE("scenario: both ends of a range come back") {
    for (const double csr : {kCircumsolarRatios.low, kCircumsolarRatios.high}) {
        Scenario scenario = test::plain_scenario();
        scenario.light_sources[0].shape = BuieShape{csr};
        scenario.light_sources[0].mean = 0.0;
        CHECK(round_trip(scenario).light_sources == scenario.light_sources);
    }
}

TEST_CASE("scenario: the calibration of Buie's sun comes back") {
    for (const BuieCalibration calibration :
         {BuieCalibration::exact, BuieCalibration::tonatiuh, BuieCalibration::tracer}) {
        Scenario scenario = test::plain_scenario();
        scenario.light_sources[0].shape = BuieShape{0.05, calibration};
        scenario.light_sources[0].mean = 0.0;
        CHECK(round_trip(scenario).light_sources == scenario.light_sources);
    }
}

TEST_CASE("scenario: every sun shape comes back equal") {
    for (const SunShape& shape : test::every_sun_shape()) {
        INFO(shape.index());
        Scenario scenario = test::plain_scenario();
        scenario.light_sources[0].shape = shape;
        scenario.light_sources[0].mean = 0.0;
        const Scenario back = round_trip(scenario);
        CHECK(back.light_sources == scenario.light_sources);
        CHECK(back.warnings.empty());
    }
}

TEST_CASE("scenario: discs and sums of Gaussians come back equal") {
    Scenario scenario = test::plain_scenario();
    scenario.targets.push_back({"dish", DiscTarget{{1, 2, 30}, {0, 0.6, -0.8}, 2.5}});
    scenario.light_sources[0].shape = GaussSumShape{{1.9e-3, 6e-3}, {0.9, 0.1}};
    const Scenario back = round_trip(scenario);
    CHECK(back.targets == scenario.targets);
    CHECK(back.light_sources == scenario.light_sources);
    CHECK(back.warnings.empty());

    scenario.targets.back().name = scenario.targets.front().name;
    CHECK_THROWS_AS(round_trip(scenario), InputError);
    scenario.targets.pop_back();
    scenario.light_sources[0].shape = GaussSumShape{{1.9e-3, -6e-3}, {0.9, 0.1}};
    CHECK_THROWS_AS(round_trip(scenario), InputError);
}

TEST_CASE("scenario: plain files are read without warnings") {
    CHECK(round_trip(test::plain_scenario()).warnings.empty());
}

TEST_CASE("scenario: every kind of damage to equality is noticed") {
    const Scenario reference = test::rich_scenario();
    const auto differs = [&](auto change) {
        Scenario changed = test::rich_scenario();
        change(changed);
        return !equal(round_trip(changed), reference);
    };
    CHECK_FALSE(differs([](Scenario&) {}));
    CHECK(differs([](Scenario& s) { s.version += 1e-12; }));
    CHECK(differs([](Scenario& s) { s.position.latitude_deg += 1e-12; }));
    CHECK(differs([](Scenario& s) { s.heliostats[0].position[2] += 1e-12; }));
    CHECK(differs([](Scenario& s) { s.light_sources[0].mean += 1e-12; }));
    CHECK(differs([](Scenario& s) {
        Surface surface = *s.heliostats[2].surface;
        surface.facets[1].focal_length += 1e-12;
        s.heliostats[2].surface = std::make_shared<const Surface>(surface);
    }));
}

TEST_CASE("scenario: components from prototypes are the prototypes'") {
    const Scenario back = round_trip(test::rich_scenario());
    CHECK(back.heliostats[0].surface == back.prototypes.surface);
    CHECK(back.heliostats[0].kinematics == back.prototypes.kinematics);
    CHECK(back.heliostats[0].actuators == back.prototypes.actuators);
    CHECK(back.heliostats[1].surface != back.prototypes.surface);
    // Two heliostats with equal individual components share them.
    CHECK(back.heliostats[2].surface == back.heliostats[3].surface);
    CHECK(back.heliostats[2].kinematics == back.heliostats[3].kinematics);
}

TEST_CASE("scenario: an individual copy of the prototype is shared with it") {
    Scenario scenario = test::plain_scenario();
    scenario.heliostats[1].surface = std::make_shared<const Surface>(*scenario.prototypes.surface);
    const test::TemporaryFolder folder;
    write_scenario(scenario, folder / "a.h5");
    CHECK(hdf5::File::open(folder / "a.h5").root().contains("heliostats/h2/surface"));
    const Scenario back = read_scenario(folder / "a.h5");
    CHECK(back.heliostats[1].surface == back.prototypes.surface);
}

TEST_CASE("scenario: prototypes that are missing are the first heliostat's components") {
    Scenario scenario = test::plain_scenario();
    scenario.prototypes = {};
    const Scenario back = round_trip(scenario);
    CHECK(back.prototypes.surface == back.heliostats[0].surface);
    CHECK(equal(back, test::plain_scenario()));
}

TEST_CASE("scenario: files are laid out as ARTIST expects") {
    const test::TemporaryFolder folder;
    write_scenario(test::plain_scenario(), folder / "a.h5");
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    CHECK(root.read_attribute_number("version") == 1.0);
    CHECK(root.read_integer("number_of_heliostat_groups") == 2);
    CHECK(root.dataset("power_plant/position").shape() == hdf5::Shape{3});
    CHECK(root.read_numbers("heliostats/h1/position") == std::vector<double>{0, 25, 1.5, 1});
    CHECK(root.read_numbers("target_areas_planar/wall/normal_vector") ==
          std::vector<double>{0, 1, 0, 0});
    CHECK_FALSE(root.contains("heliostats/h1/surface"));
    const std::string facet = "heliostats/h2/surface/facets/facet_1/";
    CHECK(root.dataset(facet + "control_points").shape() == hdf5::Shape{4, 3, 3});
    CHECK(root.dataset(facet + "canting").shape() == hdf5::Shape{2, 4});
    CHECK(root.dataset(facet + "degrees").kind() == hdf5::ElementKind::integer);
    CHECK_FALSE(root.contains(facet + "shape"));
    CHECK(root.dataset("prototypes/actuator/actuator_1/clockwise_axis_movement").kind() ==
          hdf5::ElementKind::boolean);
    CHECK(root.read_string("lightsources/sun/distribution_parameters/distribution_type") ==
          "normal");

    // Own actuators never stand without own kinematics.
    Scenario actuators = test::plain_scenario();
    actuators.heliostats[1].surface = actuators.prototypes.surface;
    actuators.heliostats[1].kinematics = actuators.prototypes.kinematics;
    write_scenario(actuators, folder / "c.h5");
    const hdf5::Group h2 = hdf5::File::open(folder / "c.h5").root().group("heliostats/h2");
    CHECK(h2.names() == std::vector<std::string>{"actuator", "id", "kinematics", "position"});
    CHECK(equal(read_scenario(folder / "c.h5"), actuators));

    // Both groups of targets exist, also without a target.
    Scenario planar = test::plain_scenario();
    planar.targets.pop_back();
    write_scenario(planar, folder / "b.h5");
    CHECK(
        hdf5::File::open(folder / "b.h5").root().group("target_areas_cylindrical").names().empty());
}

TEST_CASE("scenario: the writer refuses what a file cannot hold") {
    const test::TemporaryFolder folder;
    const auto write = [&](auto change) {
        Scenario scenario = test::plain_scenario();
        change(scenario);
        write_scenario(scenario, folder / "a.h5");
    };
    CHECK_THROWS_WITH(write([](Scenario& s) { s.heliostats[0].name = "A/1"; }),
                      ContainsSubstring("'A/1' cannot be a name"));
    CHECK_THROWS_WITH(write([](Scenario& s) { s.targets[0].name = ""; }),
                      ContainsSubstring("'' cannot be a name"));
    CHECK_THROWS_WITH(write([](Scenario& s) { s.heliostats[0].name = "h2"; }),
                      ContainsSubstring("/heliostats/h2: the name occurs twice"));
    CHECK_THROWS_WITH(write([](Scenario& s) { s.heliostats[1].surface = nullptr; }),
                      ContainsSubstring("heliostat 'h2' is incomplete"));
    CHECK_THROWS_WITH(write([](Scenario& s) { s.heliostats.clear(); }),
                      ContainsSubstring("no heliostat"));
    CHECK_FALSE(std::filesystem::exists(folder / "a.h5"));
}

TEST_CASE("scenario: outlines of facets and bent mirrors come back equal in both layouts") {
    for (const ScenarioFormat format : {ScenarioFormat::artist, ScenarioFormat::columns}) {
        const Scenario scenario = test::outlined_scenario();
        const test::TemporaryFolder folder;
        write_scenario(scenario, folder / "scenario.h5", {}, format);
        const Scenario back = read_scenario(folder / "scenario.h5");
        CHECK(back.warnings.empty());
        REQUIRE(back.heliostats.size() == scenario.heliostats.size());
        for (size_t i = 0; i < back.heliostats.size(); ++i)
            CHECK(*back.heliostats[i].surface == *scenario.heliostats[i].surface);
    }
}

TEST_CASE("scenario: outlines and elevations that make no sense are refused by name") {
    struct Damage {
        std::function<void(Surface&)> change;
        std::string part;
    };
    const std::vector<Damage> damages{
        {[](Surface& s) { s.facets[0].outline.hole = 1.5; }, "the hole has 1.5 times"},
        {[](Surface& s) {
             s.facets[1].outline.corners[0] = {1.5, 0.0};
         },
         "1.5 is outside the facet"},
        {[](Surface& s) { s.facets[1].outline.corners.resize(2); }, "the outline has 2 corners"},
        {[](Surface& s) { s.bent.resize(1); }, "there is one elevation"},
        {[](Surface& s) { s.bent[0].at = 2.0; }, "is not from -pi/2 to pi/2"},
        {[](Surface& s) { s.bent[1].facets[0].name = "other"; }, "differ from the mirror's"},
        {[](Surface& s) {
             s.bending_axis = BendingAxis::temperature;
             s.bent.resize(1);
         },
         "there is one temperature"},
        {[](Surface& s) {
             s.bending_axis = BendingAxis::temperature;
             s.bent[2].at = 293.15;
         },
         "the temperature 293.15 is not from -100 to 100"},
    };
    for (const ScenarioFormat format : {ScenarioFormat::artist, ScenarioFormat::columns}) {
        for (const Damage& damage : damages) {
            INFO(damage.part);
            Scenario scenario = test::outlined_scenario();
            Surface surface = *scenario.heliostats[0].surface;
            damage.change(surface);
            scenario.heliostats[0].surface = std::make_shared<const Surface>(surface);
            const test::TemporaryFolder folder;
            write_scenario(scenario, folder / "scenario.h5", {}, format);
            std::string text;
            try {
                read_scenario(folder / "scenario.h5");
            } catch (const InputError& error) {
                text = error.what();
            }
            CHECK_THAT(text, ContainsSubstring(damage.part));
        }
    }
}
