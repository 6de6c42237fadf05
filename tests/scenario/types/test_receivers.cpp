// SPDX-License-Identifier: MIT
// Receivers of several surfaces: rules, files, facing surfaces.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/describe.h"
#include "scenario/types/receivers.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

using namespace helioray;
using Catch::Matchers::WithinRel;

namespace {

/// A plane that faces north, one that faces east with a triangle as outline, and a shield.
Scenario two_faces() {
    Scenario scenario = test::plain_scenario();
    scenario.targets = {
        {"r_panel_01", PlanarTarget{{0, 1, 50}, {0, 1, 0}, 2, 3}, "r"},
        {"r_panel_02",
         PlanarTarget{{1, 0, 50}, {1, 0, 0}, 2, 3},
         "r",
         SurfaceUse::absorber,
         {{-1, -1.5}, {1, -1.5}, {0, 1.5}}},
        {"r_shield", PlanarTarget{{0, 1, 54}, {0, 1, 0}, 2, 1}, "r", SurfaceUse::shield},
        {"wall", PlanarTarget{{0, -3, 43}, {0, 1, 0}, 8.6, 7.2}},
    };
    scenario.receivers = {{"r", Vec3{0, 2, 50}}};
    return scenario;
}

/// A dish with a triangle as outline.
Target outlined_mirror(SurfaceUse use, double radius) {
    QuadricTarget dish;
    dish.center = {0, 20, 50};
    dish.axis = {0, -1, 0};
    dish.curvature_radius = 20.0;
    dish.radius = radius;
    Target target{"dish", dish, "r", use, {{-1, -0.5}, {1, -0.5}, {0, 1.5}}};
    target.absorption = mirror_front(0.9, 1e-3);
    return target;
}

Scenario round_trip(const Scenario& scenario) {
    const test::TemporaryFolder folder;
    write_scenario(scenario, folder / "a.h5");
    return read_scenario(folder / "a.h5");
}

}  // namespace

TEST_CASE("receivers: surfaces, outlines and aim points are read as they were written") {
    const Scenario scenario = two_faces();
    const Scenario back = round_trip(scenario);
    CHECK(back.targets == scenario.targets);
    CHECK(back.receivers == scenario.receivers);
    CHECK(equal(back, scenario));
    CHECK(back.warnings.empty());
    const std::string text = format_tables(describe(back));
    CHECK_THAT(text, ContainsSubstring("Receivers"));
    CHECK_THAT(text, ContainsSubstring("9.00"));
    CHECK_THAT(text, ContainsSubstring("(0.00, 2.00, 50.00)"));

    Scenario other = scenario;
    other.receivers[0].aim_point.reset();
    CHECK_FALSE(equal(round_trip(other), scenario));
    CHECK(equal(round_trip(other), other));
}

TEST_CASE("receivers: outlined mirrors are read as they were written") {
    Scenario scenario = two_faces();
    scenario.targets.push_back(outlined_mirror(SurfaceUse::mirror, 3.0));
    const Scenario read = round_trip(scenario);
    const auto dish = read.find_target("dish");
    REQUIRE(dish);
    const Target& back = read.targets[*dish];
    CHECK(back == scenario.targets.back());
    // 2 m2 across the axis, with slopes up to 1.5 / 20.
    CHECK(surface_area(back) > 2.0);
    CHECK(surface_area(back) < 2.0 * std::hypot(1.0, 1.5 / 20.0));
}

TEST_CASE("receivers: files of plants without them have no trace of them") {
    const test::TemporaryFolder folder;
    write_scenario(test::plain_scenario(), folder / "a.h5");
    const hdf5::Group root = hdf5::File::open(folder / "a.h5").root();
    CHECK_FALSE(root.contains("receivers"));
    for (const char* name : {"receiver", "use", "outline"})
        CHECK_FALSE(root.contains(std::string("target_areas_planar/wall/") + name));
    CHECK_THAT(format_tables(describe(test::plain_scenario())), !ContainsSubstring("Receivers"));
}

TEST_CASE("receivers: clockwise outlines are turned") {
    Scenario scenario = two_faces();
    std::reverse(scenario.targets[1].outline.begin(), scenario.targets[1].outline.end());
    const Scenario back = round_trip(scenario);
    CHECK_THAT(outline_area(back.targets[1].outline), WithinRel(3.0, 1e-12));
}

TEST_CASE("receivers: broken rules are reported with their place") {
    struct Case {
        std::function<void(Scenario&)> change;
        const char* place;
        const char* what;
    };
    const std::vector<Case> cases{
        {[](Scenario& s) { s.targets[0].receiver = "rr"; },
         "/target_areas_planar/r_panel_01/receiver",
         "there is no receiver 'rr'; did you mean 'r'?"},
        {[](Scenario& s) { s.targets[2].receiver = ""; },
         "/target_areas_planar/r_shield/use",
         "belongs to no receiver"},
        {[](Scenario& s) {
             s.targets[1].outline[2] = {0, 2};
         },
         "/target_areas_planar/r_panel_02/outline[2]",
         "outside of the rectangle"},
        {[](Scenario& s) {
             s.targets[1].outline = {{-1, -1}, {1, -1}, {0, 0}, {1, 1}, {-1, 1}};
         },
         "/target_areas_planar/r_panel_02/outline[2]",
         "not convex"},
        {[](Scenario& s) {
             s.targets[1].outline = {{0, 0}, {1, 1}};
         },
         "/target_areas_planar/r_panel_02/outline",
         "has 2 corners"},
        {[](Scenario& s) {
             s.targets.push_back(
                 {"d", DiscTarget{{0, 0, 9}, {0, 1, 0}, 1}, "r", {}, {{0, 0}, {1, 0}, {0, 1}}});
         },
         "/target_areas_disc/d/outline",
         "is neither on a plane nor on a curved mirror"},
        {[](Scenario& s) { s.targets.push_back(outlined_mirror(SurfaceUse::absorber, 3.0)); },
         "/target_areas_quadric/dish/outline",
         "is neither on a plane nor on a curved mirror"},
        {[](Scenario& s) { s.targets.push_back(outlined_mirror(SurfaceUse::mirror, 1.2)); },
         "/target_areas_quadric/dish/outline[2]",
         "is outside of the rim"},
        {[](Scenario& s) {
             s.targets.push_back(outlined_mirror(SurfaceUse::mirror, 3.0));
             std::get<QuadricTarget>(s.targets.back().geometry).inner_radius = 0.1;
         },
         "/target_areas_quadric/dish/outline",
         "is on a mirror with a hole"},
        {[](Scenario& s) {
             s.targets[1].geometry = s.targets[0].geometry;
             s.targets[1].outline.clear();
         },
         "/target_areas_planar/r_panel_02",
         "the same surface as 'r_panel_01'"},
        {[](Scenario& s) { s.receivers.push_back({"wall"}); },
         "/receivers/wall",
         "has the same name"},
        {[](Scenario& s) { s.receivers.push_back({"t"}); }, "/receivers/t", "no absorbing surface"},
    };
    for (const Case& item : cases) {
        INFO(item.place << " " << item.what);
        Scenario scenario = two_faces();
        item.change(scenario);
        CHECK_THROWS_WITH(round_trip(scenario),
                          ContainsSubstring(item.place) && ContainsSubstring(item.what));
    }
}

TEST_CASE("receivers: the surface that faces a heliostat best is found") {
    const Scenario scenario = two_faces();
    const std::vector<size_t> surfaces = find_surfaces(scenario.targets, "r");
    CHECK(surfaces == std::vector<size_t>{0, 1, 2});
    CHECK(facing_surface(scenario.targets, surfaces, {0, 100, 0}) == 0u);
    CHECK(facing_surface(scenario.targets, surfaces, {100, 5, 0}) == 1u);
    // Of equal cosines, the first surface counts.
    CHECK(facing_surface(scenario.targets, surfaces, {100, 100, 50}) == 0u);
    CHECK(find_surfaces(scenario.targets, "").empty());
    CHECK_FALSE(facing_surface(scenario.targets, {2}, {0, 100, 0}).has_value());
}

TEST_CASE("receivers: areas of surfaces follow from their shapes") {
    const double pi = std::numbers::pi;
    CHECK_THAT(surface_area({"", PlanarTarget{{}, {0, 1, 0}, 2, 3}}), WithinRel(6.0, 1e-12));
    CHECK_THAT(surface_area({"", DiscTarget{{}, {0, 1, 0}, 2}}), WithinRel(4 * pi, 1e-12));
    const CylindricalTarget half{{}, {0, 0, 1}, {0, 1, 0}, 2, 3, pi};
    CHECK_THAT(surface_area({"", half}), WithinRel(6 * pi, 1e-12));
}

TEST_CASE("receivers: the absorption of surfaces is read as it was written") {
    Scenario scenario = two_faces();
    scenario.targets[0].absorption = SurfaceAbsorption{.absorptance = 0.9,
                                                       .law = AbsorptanceLaw::martin_ruiz,
                                                       .martin_ruiz_coefficient = 0.2,
                                                       .table = {},
                                                       .specular_fraction = 0.25,
                                                       .bounces = 5};
    scenario.targets[1].absorption = SurfaceAbsorption{.table = {{0.0, 0.9}, {90.0, 0.1}}};
    const Scenario back = round_trip(scenario);
    CHECK(back.targets == scenario.targets);
    CHECK(back.warnings.empty());
    CHECK_THAT(format_tables(describe(back)),
               ContainsSubstring("0.9 (martin_ruiz), 5 bounces, 0.25 specular; table"));
}

TEST_CASE("receivers: absorption belongs to absorbing surfaces of receivers") {
    const auto count = [](const std::function<void(std::vector<Target>&)>& change) {
        Scenario scenario = two_faces();
        change(scenario.targets);
        const SurfacePlaces places{
            [](const Target& target, const std::string& member) {
                return target.name + "/" + member;
            },
            [](const Receiver& receiver, const std::string&) { return receiver.name; }};
        return check_receivers(scenario.targets, scenario.receivers, places).size();
    };
    CHECK(count([](auto& targets) { targets[0].absorption = SurfaceAbsorption{}; }) == 0);
    CHECK(count([](auto& targets) { targets[2].absorption = SurfaceAbsorption{}; }) == 1);
    CHECK(count([](auto& targets) { targets[3].absorption = SurfaceAbsorption{}; }) == 1);
    CHECK(count([](auto& targets) {
              targets[0].absorption = SurfaceAbsorption{.absorptance = 1.5};
          }) == 1);
    CHECK(count([](auto& targets) {
              targets[0].absorption = SurfaceAbsorption{.table = {{5.0, 0.9}, {90.0, 0.1}}};
          }) == 1);
}
