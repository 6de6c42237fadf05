// SPDX-License-Identifier: MIT
// Receivers of configurations are read, written, and added to scenarios.
#include "scenario/config/checks/checks.h"
#include "scenario/config/key_table.h"
#include "scenario/config/reader.h"
#include "scenario/config/write_run_config.h"
#include "scenario/receivers/add_receivers.h"
#include "scenario/types/choices.h"
#include "scenario/types/receivers.h"
#include "tests/scenario/config/support.h"
#include "tests/scenario/sample_scenario.h"

#include <array>
#include <numbers>
#include <vector>

using namespace helioray;
using namespace helioray::test;

namespace {

const std::string kReceivers =
    "receivers:\n"
    "  tower: {type: polygon, center_m: [0, 0, 60], panels: 24, radius_m: 4, height_m: 8,\n"
    "          azimuth_deg: 10, shield_height_m: 1.5, radius_of: midpoints}\n"
    "  front: {type: billboard, center_m: [0, 9, 60], width_m: 4, height_m: 3, columns: 2,\n"
    "          tilt_deg: 5, shield_width_m: 0.5}\n"
    "  star: {type: star, center_m: [50, 0, 60], arms: 5, radius_m: 4, inner_radius_m: 2,\n"
    "         height_m: 3}\n"
    "  cave: {type: cavity, center_m: [0, 5, 40], panels: 8, radius_m: 4, height_m: 7,\n"
    "         aperture_width_m: 5, lip_top_m: 1, lip_bottom_m: 1.25, arc_deg: 200}\n"
    "  drum: {type: cylinder, center_m: [0, 0, 80], radius_m: 3, height_m: 5, panels: 4,\n"
    "         aim_point_m: [0, 0, 81]}\n"
    "  list:\n"
    "    type: surfaces\n"
    "    center_m: [1, 2, 3]\n"
    "    surfaces:\n"
    "      - {name: a, type: plane, center_m: [0, 0, 1], normal: [0, 2, 0], width_m: 4,\n"
    "         height_m: 3, outline_m: [[-1, -1], [0, 1], [1, -1]]}\n"
    "      - {type: disc, center_m: [0, 0, 5], normal: [0, 1, 0], radius_m: 1, use: shield}\n"
    "      - {type: cylinder, center_m: [0, 9, 5], normal: [0, -1, 0], radius_m: 1, height_m: 2,\n"
    "         arc_deg: 90, side: inner}\n"
    "      - {type: annulus, center_m: [0, 9, 7], normal: [0, 0, -2], radius_m: 2,\n"
    "         inner_radius_m: 1, middle: [1, 0, 0], arc_deg: 90}\n"
    "      - {type: cone, center_m: [0, 9, 8], normal: [1, 0, 0], bottom_radius_m: 0,\n"
    "         top_radius_m: 1, height_m: 2, axis: [0, 1, 0], side: inner}\n"
    "      - {type: sphere, center_m: [0, 9, 9], normal: [1, 0, 0], radius_m: 2,\n"
    "         bottom_deg: -30, top_deg: 60, arc_deg: 120}\n"
    "      - {type: annulus, center_m: [0, 9, 9], normal: [0, 1, 0], radius_m: 2,\n"
    "         inner_radius_m: 0}\n";

const std::string kMirrors =
    "receivers:\n"
    "  down: {type: beam_down, center_m: [0, 0, 100], foci_distance_m: 90, vertex_distance_m: 18,\n"
    "         radius_m: 16, half_angle_deg: 25, exit_radius_m: 1.5, length_m: 4, sides: 6,\n"
    "         reflectivity: 0.94, slope_error_mrad: 1, absorptance: 0.9}\n"
    "  gregory: {type: beam_down, center_m: [90, 0, 100], foci_distance_m: 60,\n"
    "            vertex_distance_m: 12, secondary: ellipsoid, radius_m: 9, inner_radius_m: 1,\n"
    "            exit_radius_m: 2, reflectivity: 0.94}\n"
    "  horn: {type: concentrator, center_m: [0, 0, 60], azimuth_deg: 180, tilt_deg: 30,\n"
    "         half_angle_deg: 30, exit_radius_m: 2, reflectivity: 0.92}\n"
    "  list:\n"
    "    type: surfaces\n"
    "    center_m: [200, 0, 60]\n"
    "    surfaces:\n"
    "      - {type: paraboloid, center_m: [0, 0, 0], focal_length_m: 10, radius_m: 5,\n"
    "         axis: [0, -2, 0], side: inner, use: mirror, reflectivity: 0.9,\n"
    "         outline_m: [[-3, -4], [3, -4], [0, 5]]}\n"
    "      - {type: hyperboloid, center_m: [0, 0, 22], near_focus_m: [0, 0, 40],\n"
    "         far_focus_m: [0, 0, -50], radius_m: 9, inner_radius_m: 1, use: mirror,\n"
    "         reflectivity: 0.9, slope_error_mrad: 2}\n"
    "      - {type: ellipsoid, center_m: [0, 0, 52], near_focus_m: [0, 0, 40],\n"
    "         far_focus_m: [0, 0, -20], radius_m: 9, side: inner, use: mirror, reflectivity: 1}\n"
    "      - {type: conic, center_m: [0, 50, 0], curvature_radius_m: 20, conic_constant: 0.5,\n"
    "         radius_m: 4, use: mirror, reflectivity: 0.3}\n"
    "      - {type: cpc, center_m: [50, 0, 0], normal: [0, 1, 0], half_angle_deg: 20,\n"
    "         exit_radius_m: 1, use: mirror, reflectivity: 0.9}\n"
    "      - {type: cpc, center_m: [60, 0, 0], normal: [0, 1, 0], half_angle_deg: 20,\n"
    "         exit_radius_m: 1, length_m: 2, sides: 4, use: mirror, reflectivity: 0.9}\n"
    "      - {type: disc, center_m: [0, -9, 0], normal: [0, 0, 1], radius_m: 1, use: mirror,\n"
    "         reflectivity: 0.9}\n"
    "      - {type: disc, center_m: [0, -9, -9], normal: [0, 0, 1], radius_m: 1}\n";

/// Returns a receiver with one surface of a type that faces north.
std::string surface_of(const std::string& type, const std::string& sizes) {
    return "receivers: {r: {type: surfaces, center_m: [0, 0, 1], surfaces: [{type: " + type +
           ", center_m: [0, 0, 0], normal: [0, 1, 0], " + sizes + "}]}}";
}

RunConfig parse_more(const std::string& text) {
    const ConfigFolder folder;
    return parse_run_config(kSmallest + text, "run.yaml", folder.path());
}

}  // namespace

TEST_CASE("configured receivers are read and written back") {
    const ConfigFolder folder;
    const RunConfig config = parse_run_config(kSmallest + kReceivers, "run.yaml", folder.path());
    REQUIRE(config.receivers.size() == 6);
    const ReceiverConfig& tower = config.receivers.at("tower");
    CHECK(tower.panels == 24);
    CHECK(tower.radius_of == ReceiverConfig::RadiusOf::midpoints);
    CHECK(tower.shield_height == 1.5);
    const ReceiverConfig& list = config.receivers.at("list");
    REQUIRE(list.surfaces.size() == 7);
    CHECK(list.surfaces[0].outline == Outline{{1, -1}, {0, 1}, {-1, -1}});
    CHECK(list.surfaces[1].name == "02");
    CHECK(list.surfaces[1].use == SurfaceUse::shield);
    const auto& ring = std::get<AnnularTarget>(list.surfaces[3].geometry);
    CHECK(ring.normal == Vec3{0, 0, -1});
    CHECK(ring.inner_radius == 1.0);
    CHECK(ring.opening_angle == Approx(std::numbers::pi / 2));
    const auto& cone = std::get<ConicalTarget>(list.surfaces[4].geometry);
    CHECK(cone.axis == Vec3{0, 1, 0});
    CHECK(cone.bottom_radius == 0.0);
    CHECK(cone.side == CylindricalTarget::Side::inner);
    const auto& sphere = std::get<SphericalTarget>(list.surfaces[5].geometry);
    CHECK(sphere.bottom_latitude == Approx(-std::numbers::pi / 6));
    CHECK(sphere.top_latitude == Approx(std::numbers::pi / 3));
    // Without another direction, the middle of an annulus is up in its plane.
    CHECK(std::get<AnnularTarget>(list.surfaces[6].geometry).middle == Vec3{0, 0, 1});
    const RunConfig again =
        parse_run_config(run_config_text(config, ""), "again.yaml", folder.path());
    CHECK(again.receivers == config.receivers);
}

TEST_CASE("configured mirrors are read, written back and built") {
    const ConfigFolder folder;
    const RunConfig config = parse_run_config(kSmallest + kMirrors, "run.yaml", folder.path());
    const auto& surfaces = config.receivers.at("list").surfaces;
    REQUIRE(surfaces.size() == 8);
    const auto& dish = std::get<QuadricTarget>(surfaces[0].geometry);
    CHECK(dish.curvature_radius == 20.0);
    CHECK(dish.conic_constant == -1.0);
    CHECK(dish.axis == Vec3{0, -1, 0});
    CHECK(dish.side == QuadricTarget::Side::inner);
    CHECK(surfaces[0].outline == Outline{{-3, -4}, {3, -4}, {0, 5}});
    const auto& hyperboloid = std::get<QuadricTarget>(surfaces[1].geometry);
    CHECK(hyperboloid.curvature_radius == Approx(48.0));
    CHECK(hyperboloid.conic_constant == Approx(-25.0 / 9.0));
    CHECK(hyperboloid.inner_radius == 1.0);
    REQUIRE(surfaces[1].absorption);
    CHECK(surfaces[1].use == SurfaceUse::mirror);
    CHECK(surfaces[1].absorption->absorptance == Approx(0.1));
    CHECK(surfaces[1].absorption->specular_fraction == 1.0);
    CHECK(surfaces[1].absorption->slope_error == Approx(2e-3));
    CHECK(std::get<QuadricTarget>(surfaces[2].geometry).axis == Vec3{0, 0, -1});
    const auto& whole = std::get<ConcentratorTarget>(surfaces[4].geometry);
    CHECK(whole.length == Approx(10.7806).epsilon(1e-4));
    const auto& side = std::get<ConcentratorTarget>(surfaces[5].geometry);
    CHECK(side.length == 2.0);
    CHECK(side.opening_angle == Approx(std::numbers::pi / 2));

    const RunConfig back = parse_run_config(run_config_text(config, ""), "run.yaml", folder.path());
    CHECK(back.receivers.at("down") == config.receivers.at("down"));
    CHECK(back.receivers.at("gregory") == config.receivers.at("gregory"));
    CHECK(back.receivers.at("horn") == config.receivers.at("horn"));
    for (size_t i = 0; i < surfaces.size(); ++i) {
        INFO(i);
        CHECK(back.receivers.at("list").surfaces[i] == surfaces[i]);
    }

    Scenario scenario = plain_scenario();
    add_receivers(config, scenario);
    const auto target = [&](const std::string& name) {
        const auto index = scenario.find_target(name);
        REQUIRE(index);
        return scenario.targets[*index];
    };
    const auto mirror = std::get<QuadricTarget>(target("down_mirror").geometry);
    CHECK(mirror.center == Vec3{0, 0, 82});
    CHECK(mirror.side == QuadricTarget::Side::outer);
    CHECK(target("down_cpc_06").use == SurfaceUse::mirror);
    const Target floor = target("down_absorber");
    CHECK(floor.outline.size() == 6);
    CHECK(std::get<PlanarTarget>(floor.geometry).center == Vec3{0, 0, 6});
    CHECK(floor.absorption->absorptance == 0.9);
    CHECK(scenario.receivers[*scenario.find_receiver("down")].aim_point == Vec3{0, 0, 100});
    const auto roof = std::get<QuadricTarget>(target("gregory_mirror").geometry);
    CHECK(roof.center == Vec3{90, 0, 112});
    CHECK(roof.side == QuadricTarget::Side::inner);
    CHECK(std::get<DiscTarget>(target("gregory_absorber").geometry).center == Vec3{90, 0, 40});
    CHECK(std::get<ConcentratorTarget>(target("horn_cpc").geometry).axis[2] == Approx(-0.5));
}

TEST_CASE("wrong mirrors in configurations are reported") {
    const auto down = [](const std::string& more) {
        return "receivers: {r: {type: beam_down, center_m: [0, 0, 100], foci_distance_m: 90, "
               "exit_radius_m: 1, reflectivity: 0.9, " +
               more + "}}";
    };
    const auto listed = [](const std::string& surface) {
        return "receivers: {r: {type: surfaces, center_m: [0, 0, 1], surfaces: [{center_m: [0, 0, "
               "0], " +
               surface + "}]}}";
    };
    struct Case {
        std::string text;
        const char* what;
    };
    for (const Case& item : std::vector<Case>{
             {down("radius_m: 5"), "vertex_distance_m: is missing"},
             {down("radius_m: 5, vertex_distance_m: 45"), "is not below half of foci_distance_m"},
             {down("radius_m: 500, vertex_distance_m: 9, secondary: ellipsoid"),
              "radius_m: reaches where the surface is steeper"},
             {down("radius_m: 5, inner_radius_m: 5, vertex_distance_m: 9"),
              "inner_radius_m: is not below the radius"},
             {down("radius_m: 5, vertex_distance_m: 9, secondary: plane"), "'plane' is not one of"},
             {down("radius_m: 5, vertex_distance_m: 9, sides: 4"),
              "sides: is given without a concentrator"},
             {down("radius_m: 5, vertex_distance_m: 9, length_m: 4"),
              "length_m: is given without a concentrator"},
             {down("radius_m: 5, vertex_distance_m: 9, half_angle_deg: 20, sides: 2"),
              "sides: is 2"},
             {down("radius_m: 5, vertex_distance_m: 9, half_angle_deg: 20, length_m: 11"),
              "length_m: is above 10.7806 m"},
             {down("radius_m: 5, vertex_distance_m: 9, half_angle_deg: 90"),
              "half_angle_deg: 90 is outside of its range"},
             {down("radius_m: 5, vertex_distance_m: 9, slope_error_mrad: -1"),
              "slope_error_mrad: -1 is outside of its range"},
             {"receivers: {r: {type: concentrator, center_m: [0, 0, 1], exit_radius_m: 1, "
              "half_angle_deg: 20}}",
              "reflectivity: is missing"},
             {listed("type: paraboloid, radius_m: 1"), "focal_length_m: is missing"},
             {listed("type: paraboloid, radius_m: 1, focal_length_m: 1, near_focus_m: [0, 0, 1]"),
              "near_focus_m: does not belong to type paraboloid"},
             {listed("type: conic, radius_m: 1, curvature_radius_m: 9"),
              "conic_constant: is missing"},
             {listed("type: hyperboloid, radius_m: 1, near_focus_m: [0, 0, 9], "
                     "far_focus_m: [0, 0, 30]"),
              "does not lie between the foci"},
             {listed("type: hyperboloid, radius_m: 1, near_focus_m: [0, 0, 9], "
                     "far_focus_m: [0, 1, -30]"),
              "does not lie between the foci"},
             {listed("type: ellipsoid, radius_m: 1, near_focus_m: [0, 0, 9], "
                     "far_focus_m: [0, 0, -30]"),
              "does not lie beyond near_focus_m"},
             {listed("type: ellipsoid, radius_m: 1, near_focus_m: [0, 0, 30], "
                     "far_focus_m: [0, 0, 9]"),
              "is not closer to the vertex"},
             {listed("type: cpc, normal: [0, 1, 0], half_angle_deg: 20, exit_radius_m: 1, "
                     "sides: 2"),
              "is neither a full turn nor"},
             {listed("type: paraboloid, radius_m: 1, focal_length_m: 9, use: mirror"),
              "reflectivity: is missing"},
             {listed("type: paraboloid, radius_m: 1, focal_length_m: 9, use: mirror, "
                     "reflectivity: 0.9, absorptance: 0.1"),
              "absorptance: is given for a mirror"},
             {listed("type: paraboloid, radius_m: 1, focal_length_m: 9, reflectivity: 0.9"),
              "is given for a surface that is not a mirror"},
             {listed("type: paraboloid, radius_m: 1, focal_length_m: 9, use: mirror, "
                     "reflectivity: 1.2"),
              "reflectivity: 1.2 is outside of its range"},
         }) {
        INFO(item.text);
        CHECK_THROWS_WITH(parse_more(item.text), ContainsSubstring(item.what));
    }
}

TEST_CASE("configured receivers join the targets of the scenario") {
    RunConfig config = parse_more(kReceivers);
    Scenario scenario = plain_scenario();
    add_receivers(config, scenario);
    CHECK(scenario.receivers.size() == 6);
    CHECK(scenario.find_target("wall").has_value());
    CHECK(scenario.find_target("tower_panel_24").has_value());
    CHECK(scenario.find_target("list_a").has_value());
    CHECK(scenario.receivers[*scenario.find_receiver("cave")].aim_point == Vec3{0, 5, 40});
    CHECK(scenario.receivers[*scenario.find_receiver("drum")].aim_point == Vec3{0, 0, 81});
    CHECK(std::is_sorted(
        scenario.targets.begin(), scenario.targets.end(), [](const Target& a, const Target& b) {
            return std::pair(a.geometry.index(), a.name) < std::pair(b.geometry.index(), b.name);
        }));
    const auto given = std::make_shared<const Scenario>(plain_scenario());
    CHECK(with_receivers(parse_more(""), given) == given);
    CHECK(equal(*with_receivers(config, given), scenario));

    CHECK_THROWS_WITH(add_receivers(config, scenario), ContainsSubstring("has 'cave' already"));
    Scenario taken = plain_scenario();
    taken.targets[0].name = "tower_panel_03";
    CHECK_THROWS_WITH(add_receivers(config, taken),
                      ContainsSubstring("the scenario has 'tower_panel_03' already"));
    config.receivers["tower2"] = config.receivers["tower"];
    Scenario twice = plain_scenario();
    CHECK_THROWS_WITH(add_receivers(config, twice), ContainsSubstring("is the same surface as"));
}

TEST_CASE("a length of zero is the only problem of panels side by side") {
    std::string message;
    try {
        parse_more(
            "receivers: {r: {type: billboard, center_m: [0, 0, 1], width_m: 0, height_m: 1, "
            "columns: 3, rows: 2}}");
    } catch (const InputError& error) {
        message = error.what();
    }
    CHECK_THAT(message, ContainsSubstring("receivers.r.width_m: 0 is outside of its range"));
    CHECK_THAT(message, !ContainsSubstring("same surface"));
}

TEST_CASE("wrong receivers in configurations are reported") {
    struct Case {
        std::string text;
        const char* what;
    };
    for (const Case& item : std::vector<Case>{
             {"receivers: {r: {center_m: [0, 0, 1]}}", "receivers.r.type: is missing"},
             {"receivers: {r: {type: ball}}", "'ball' is not one of polygon"},
             {"receivers: {r: {type: polygon, center_m: [0, 0, 1], radius_m: 1, height_m: 1}}",
              "panels: is missing"},
             {"receivers: {r: {type: star, center_m: [0, 0, 1], arms: 3, radius_m: 1, "
              "inner_radius_m: 2, height_m: 1}}",
              "is not below radius_m"},
             {"receivers: {r: {type: cylinder, center_m: [0, 0, 1], radius_m: 1, height_m: 1, "
              "arms: 3}}",
              "does not belong to type cylinder"},
             {"receivers: {r: {type: surfaces, center_m: [0, 0, 1]}}", "no list 'surfaces'"},
             {"receivers: {r: {type: surfaces, center_m: [0, 0, 1], surfaces: [{type: plane, "
              "center_m: [0, 0, 0], normal: [0, 1, 0], width_m: 1, height_m: 1, outline_m: [[0, "
              "0], [1, 0], [0.1, 0.1], [0, 1]]}]}}",
              "not convex at this corner"},
             {"receivers: {r: {type: surfaces, center_m: [0, 0, 1], surfaces: [{type: disc, "
              "center_m: [0, 0, 0], normal: [0, 1, 0], width_m: 1, radius_m: 1}]}}",
              "width_m: does not belong to type disc"},
             {surface_of("annulus", "radius_m: 1, inner_radius_m: 1"),
              "inner_radius_m: is 1, not below the outer radius 1"},
             {surface_of("annulus", "radius_m: 2, inner_radius_m: 1, middle: [0, 1, 0]"),
              "middle: is not perpendicular"},
             {surface_of("annulus", "radius_m: 2"), "inner_radius_m: is missing"},
             {surface_of("cone", "bottom_radius_m: 0, top_radius_m: 0, height_m: 1"),
              "top_radius_m: is 0"},
             {surface_of("cone", "bottom_radius_m: 1, top_radius_m: 2, height_m: 1, radius_m: 1"),
              "radius_m: does not belong to type cone"},
             {surface_of("cone", "bottom_radius_m: 1, top_radius_m: -2, height_m: 1"),
              "top_radius_m: -2 is outside of its range"},
             {surface_of("sphere", "radius_m: 1, bottom_deg: 20, top_deg: 10"),
              "top_deg: is not above the lower rim"},
             {surface_of("sphere", "radius_m: 1, top_deg: 100"),
              "top_deg: 100 is outside of its range"},
             {surface_of("sphere", "radius_m: 1, axis: [0, 1, 0.1]"),
              "normal: is not perpendicular"},
             {"receivers: {a/b: {type: cylinder, center_m: [0, 0, 1], radius_m: 1, height_m: 1}}",
              "'a/b' cannot be a name"},
         }) {
        INFO(item.text);
        CHECK_THROWS_WITH(parse_more(item.text), ContainsSubstring(item.what));
    }
}

TEST_CASE("keys of receivers and surfaces name the types that require them") {
    const auto check = [](const std::string& keys,
                          const std::string& place,
                          const std::string& type,
                          const std::string& text) {
        INFO(text);
        std::string found;
        for (const Problem& problem : problems_of(kSmallest + text))
            found += to_string(problem) + "\n";
        for (const KeyInfo& key : known_keys()) {
            if (!key.path.starts_with(keys) || key.path.find('.', keys.size()) != key.path.npos)
                continue;
            if (!key.default_value.starts_with("required ")) continue;
            const bool except = key.default_value.starts_with("required except for ");
            INFO(key.path << ": " << key.default_value << "; " << found);
            CHECK((contains(key.default_value, "`" + type + "`") != except) ==
                  contains(found, place + key.path.substr(keys.size()) + ": is missing"));
        }
    };
    for (const std::string& type : list_words(kReceiverShapes))
        check("receivers.<name>.",
              "receivers.r.",
              type,
              "receivers: {r: {type: " + type + ", center_m: [0, 0, 1]}}");
    for (const std::string& type : list_words(kSurfaceKinds))
        check("receivers.<name>.surfaces[].",
              "receivers.r.surfaces[0].",
              type,
              "receivers: {r: {type: surfaces, center_m: [0, 0, 1], surfaces: [{type: " + type +
                  ", center_m: [0, 0, 0]}]}}");
}

TEST_CASE("heliostats aim at receivers and absorbing surfaces") {
    const auto check = [](const std::string& aim, const std::string& more = "") {
        RunConfig config = parse_more(kReceivers + more);
        config.aim.target = aim;
        Scenario scenario = plain_scenario();
        add_receivers(config, scenario);
        check_against_scenario(config, scenario);
    };
    CHECK_NOTHROW(check("tower"));
    CHECK_NOTHROW(check("tower_panel_07"));
    CHECK_THROWS_WITH(check("tower_shield_top_01"), ContainsSubstring("is a shield"));
    CHECK_THROWS_WITH(check("towr"), ContainsSubstring("did you mean 'tower'?"));
    // Receivers are proposed before their surfaces.
    CHECK_THROWS_WITH(check("den",
                            "  den_1: {type: polygon, center_m: [90, 0, 60], panels: 6,\n"
                            "          radius_m: 1, height_m: 2}\n"),
                      ContainsSubstring("did you mean 'den_1'?"));
    // The table of states has the same targets.
    const auto check_state = [](const std::string& target) {
        RunConfig config = parse_more(kReceivers);
        config.aim.target = "tower";
        config.state.rows[""][0].target = target;
        config.state.places[""] = "state.csv:2";
        Scenario scenario = plain_scenario();
        add_receivers(config, scenario);
        check_against_scenario(config, scenario);
    };
    CHECK_NOTHROW(check_state("tower"));
    CHECK_NOTHROW(check_state("tower_panel_07"));
    CHECK_THROWS_WITH(check_state("tower_shield_top_01"),
                      ContainsSubstring("state.csv:2: target: 'tower_shield_top_01' is a shield"));
    CHECK_THROWS_WITH(check_state("towr"), ContainsSubstring("did you mean 'tower'?"));
    CHECK_THROWS_WITH(check("tower", "aiming: {target_shares: {tower: 0.5, wall: 0.5}}"),
                      ContainsSubstring("'tower' is a receiver"));
    CHECK_THROWS_WITH(check("tower",
                            "targets: {drum_panel_01: {aperture: {center: [0, 1, 2], "
                            "normal: [0, 1, 0], radius_m: 1}}}"),
                      ContainsSubstring("surface of receiver 'drum'"));
    CHECK_THROWS_WITH(check("tower", "tracing: {model: artist}"),
                      ContainsSubstring("targets that stand alone"));
    CHECK_THROWS_WITH(check_supported(parse_more(kReceivers + "tracing: {model: artist}")),
                      ContainsSubstring("a receiver of several surfaces is not available"));
}

TEST_CASE("the absorption of receivers and their surfaces is read and written back") {
    const ConfigFolder folder;
    const std::string text =
        "receivers:\n"
        "  cave: {type: cavity, center_m: [0, 5, 40], panels: 8, radius_m: 4, height_m: 7,\n"
        "         lip_top_m: 1, absorptance: 0.9, absorptance_law: martin_ruiz,\n"
        "         martin_ruiz_coefficient: 0.2, specular_fraction: 0.25, bounces: 5}\n"
        "  list:\n"
        "    type: surfaces\n"
        "    center_m: [50, 2, 30]\n"
        "    absorptance: 0.8\n"
        "    surfaces:\n"
        "      - {name: a, type: disc, center_m: [0, 0, 1], normal: [0, 1, 0], radius_m: 1,\n"
        "         absorptance_table: [[0, 0.95], [90, 0.1]], bounces: 2}\n"
        "      - {name: b, type: disc, center_m: [0, 0, 5], normal: [0, 1, 0], radius_m: 1}\n"
        "      - {name: c, type: disc, center_m: [0, 0, 9], normal: [0, 1, 0], radius_m: 1,\n"
        "         use: shield}\n";
    const RunConfig config = parse_run_config(kSmallest + text, "run.yaml", folder.path());
    const RunConfig again =
        parse_run_config(run_config_text(config, ""), "again.yaml", folder.path());
    CHECK(again.receivers == config.receivers);

    Scenario scenario = plain_scenario();
    add_receivers(config, scenario);
    const auto find = [&](const std::string& name) {
        return scenario.targets.at(scenario.find_target(name).value()).absorption;
    };
    REQUIRE(find("cave_panel_01"));
    CHECK(*find("cave_panel_01") == SurfaceAbsorption{.absorptance = 0.9,
                                                      .law = AbsorptanceLaw::martin_ruiz,
                                                      .martin_ruiz_coefficient = 0.2,
                                                      .table = {},
                                                      .specular_fraction = 0.25,
                                                      .bounces = 5});
    CHECK(find("cave_floor") == find("cave_panel_01"));
    CHECK_FALSE(find("cave_lip_top"));
    CHECK(find("list_a")->table.size() == 2);
    CHECK(find("list_a")->bounces == 2);
    CHECK(find("list_b")->absorptance == 0.8);
    CHECK(find("list_b")->bounces == 0);
    CHECK_FALSE(find("list_c"));
}

TEST_CASE("wrong absorption of a receiver is one clear error") {
    const std::vector<std::array<std::string, 2>> cases{
        {"bounces: 3", "bounces"},
        {"specular_fraction: 0.2", "specular_fraction"},
        {"absorptance_law: duffie_beckman", "absorptance_law"},
        {"absorptance: 1.2", "absorptance"},
        {"absorptance: -0.1", "absorptance"},
        {"absorptance: 0.9, bounces: -1", "bounces"},
        {"absorptance: 0.9, bounces: 1001", "bounces"},
        {"absorptance: 0.9, bounces: 1.5", "bounces"},
        {"absorptance: 0.9, specular_fraction: 2", "specular_fraction"},
        {"absorptance: 0.9, absorptance_law: cosine", "absorptance_law"},
        {"absorptance: 0.9, martin_ruiz_coefficient: 0.2", "martin_ruiz_coefficient"},
        {"absorptance: 0.9, absorptance_law: martin_ruiz, martin_ruiz_coefficient: 0",
         "martin_ruiz_coefficient"},
        {"absorptance: 0.9, absorptance_table: [[0, 1], [90, 0]]", "absorptance_table"},
        {"absorptance_table: [[0, 1], [60, 0.5], [30, 0.2]]", "absorptance_table"},
        {"absorptance_table: [[0, 1], [60, 0.5], [60, 0.2]]", "absorptance_table"},
        {"absorptance_table: [[10, 1], [60, 0.5]]", "absorptance_table"},
        {"absorptance_table: [[0, 1], [91, 0.5]]", "absorptance_table"},
        {"absorptance_table: [[0, 1], [60, 1.5]]", "absorptance_table"},
        {"absorptance_table: [[0, 1]]", "absorptance_table"},
        {"absorptance_table: [[0, 1, 2], [60, 0.5]]", "absorptance_table"},
        {"absorptance_table: [[0, .nan], [60, 0.5]]", "absorptance_table"}};
    for (const auto& [keys, member] : cases) {
        INFO(keys);
        try {
            parse_more(
                "receivers:\n  tower: {type: polygon, center_m: [0, 0, 60], panels: 24,\n"
                "    radius_m: 4, height_m: 8, " +
                keys + "}\n");
            FAIL("accepted");
        } catch (const InputError& error) {
            REQUIRE(error.problems().size() == 1);
            CHECK_THAT(error.problems().front().where,
                       ContainsSubstring("receivers.tower." + member));
        }
    }
    try {
        parse_more(
            "receivers:\n  list:\n    type: surfaces\n    center_m: [0, 0, 60]\n    surfaces:\n"
            "      - {type: disc, center_m: [0, 0, 1], normal: [0, 1, 0], radius_m: 1,\n"
            "         bounces: 3}\n");
        FAIL("accepted");
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 1);
        CHECK_THAT(error.problems().front().where, ContainsSubstring("surfaces[0].bounces"));
    }
}

TEST_CASE("a mesh is read from its file, with unit, place, turns and front") {
    const ConfigFolder folder;
    folder.write("body.obj", "v 0 0 0\nv 4 0 0\nv 0 2 0\nf 1 2 3\nf 1 2 3\n");
    const std::string text =
        "receivers: {r: {type: surfaces, center_m: [10, 20, 30], surfaces: [{type: mesh, "
        "file: body.obj, unit_m: 0.5, center_m: [1, 2, 3], turn_deg: [90, 0, 90], front: both, "
        "absorptance: 0.9}]}}";
    const RunConfig config = parse_run_config(kSmallest + text, "run.yaml", folder.path());
    const auto& mesh = std::get<MeshTarget>(config.receivers.at("r").surfaces[0].geometry);
    // A turn about the east takes north up, one about the vertical takes east to north.
    REQUIRE(num_triangles(mesh) == 2);
    CHECK(mesh.front == MeshTarget::Front::both);
    CHECK(mesh.side * mesh.side == Approx(2.0));
    const std::vector<double> corners = triangle_corners(mesh);
    const std::vector<double> expected{1, 2, 3, 1, 4, 3, 1, 2, 4};
    for (size_t i = 0; i < expected.size(); ++i) CHECK(corners[i] == Approx(expected[i]));
    CHECK(norm(subtract(mesh.center, {1, 3, 3.5})) < 1e-12);
    // East before the turns, south after them: (0, 0, 1) -> (0, -1, 0) -> (1, 0, 0).
    CHECK(norm(subtract(mesh.normal, {1, 0, 0})) < 1e-12);

    const std::string written = run_config_text(config, "");
    const RunConfig again = parse_run_config(written, "run.yaml", folder.path());
    CHECK(run_config_text(again, "") == written);
    CHECK(again.receivers.at("r").surfaces[0].geometry ==
          config.receivers.at("r").surfaces[0].geometry);

    Scenario scenario = plain_scenario();
    add_receivers(config, scenario);
    const auto index = scenario.find_target("r_01");
    REQUIRE(index);
    const Target& target = scenario.targets[*index];
    CHECK(norm(subtract(default_aim_point(target), {11, 23, 33.5})) < 1e-12);
    CHECK(surface_area(target) == Approx(2.0));
}

TEST_CASE("a mesh that cannot be used is one problem") {
    const ConfigFolder folder;
    folder.write("good.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
    folder.write("big.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n");
    folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    folder.write("cut.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n");
    folder.write("mesh.txt", "");
    const auto problems = [&](const std::string& entry) {
        const std::string text =
            "receivers: {r: {type: surfaces, center_m: [0, 0, 0], surfaces: [{type: mesh" + entry +
            "}]}}";
        try {
            parse_run_config(kSmallest + text, "run.yaml", folder.path());
        } catch (const InputError& error) {
            return error.problems();
        }
        return std::vector<Problem>{};
    };
    CHECK(problems(", file: good.obj").empty());
    struct Case {
        std::string entry, where, what;
    };
    for (const Case& bad : {Case{"", "surfaces[0]", ""},
                            {", file: none.obj", "surfaces[0].file", "there is no file"},
                            {", file: far.obj", "far.obj:4", "there is no vertex 4"},
                            {", file: flat.obj", "surfaces[0].file", "without area"},
                            {", file: cut.stl", "cut.stl:4", "a number is missing"},
                            {", file: mesh.txt", "mesh.txt", "is not a mesh"},
                            {", file: good.obj, unit_m: 0", "unit_m", "0"},
                            {", file: big.obj, unit_m: 1e6", "file", "4e+06"},
                            {", file: good.obj, front: back", "front", "back"},
                            {", file: good.obj, turn_deg: [1, 2]", "turn_deg", ""},
                            {", file: good.obj, normal: [0, 1, 0]", "normal", ""}}) {
        INFO(bad.entry);
        const std::vector<Problem> found = problems(bad.entry);
        REQUIRE(found.size() == 1);
        CHECK(contains(found[0].where, bad.where));
        CHECK(contains(found[0].what, bad.what));
    }
}
