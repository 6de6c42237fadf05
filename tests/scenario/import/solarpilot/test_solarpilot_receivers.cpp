// SPDX-License-Identifier: MIT
// SolarPILOT projects: the receivers of each type.
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/field/field_support.h"
#include "tests/scenario/import/solarpilot/solarpilot_support.h"

#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

Values with(Values changes, const Values& more) {
    changes.insert(more.begin(), more.end());
    return changes;
}

const Values kExternal{{"receiver.0.rec_type", "External cylindrical"},
                       {"receiver.0.rec_diameter", "10"},
                       {"receiver.0.rec_elevation", "0"}};
const Values kCavity{{"receiver.0.rec_type", "Cavity"},
                     {"receiver.0.rec_elevation", "0"},
                     {"receiver.0.rec_cav_rad", "5"},
                     {"receiver.0.rec_cav_cdepth", "-0.25"},
                     {"receiver.0.rec_cav_apwfrac", "0.8"},
                     {"receiver.0.rec_cav_blip", "0.2"},
                     {"receiver.0.rec_cav_tlip", "0.1"},
                     {"receiver.0.n_panels", "4"}};

/// Returns the panels of a receiver, in the order of their numbers.
std::vector<PlanarTarget> panels(const Scenario& scenario) {
    std::vector<PlanarTarget> found;
    for (const Target& target : scenario.targets)
        if (target.name.find("_panel") != std::string::npos && target.use == SurfaceUse::absorber)
            found.push_back(std::get<PlanarTarget>(target.geometry));
    return found;
}

/// Returns the bearing of a normal, degrees from 0 to 360.
double bearing(const Vec3& normal) {
    const double angle = std::atan2(normal[0], normal[1]) / kDegree;
    return angle < -1e-9 ? angle + 360.0 : angle;
}

std::string receiver_problems(const Values& changes) {
    return test::message_of([&] { convert_with(changes); });
}

}  // namespace

TEST_CASE("solarpilot receivers: a flat plate that leans") {
    const Scenario scenario = convert_with({{"receiver.0.rec_azimuth", "90"}}).scenario;
    REQUIRE(scenario.receivers.size() == 1);
    REQUIRE(scenario.targets.size() == 1);
    const auto& plate = std::get<PlanarTarget>(scenario.targets[0].geometry);
    CHECK(plate.width == Approx(12));
    CHECK(plate.height == Approx(8));
    CHECK(norm(subtract(plate.center, {1, 2, 97})) < 1e-9);
    const Vec3 normal{std::cos(25 * kDegree), 0, -std::sin(25 * kDegree)};
    CHECK(norm(subtract(plate.normal, normal)) < 1e-9);
    REQUIRE(scenario.targets[0].absorption);
}

TEST_CASE("solarpilot receivers: an external cylinder and an arc of it") {
    const Scenario closed = convert_with(kExternal).scenario;
    const auto& cylinder = std::get<CylindricalTarget>(closed.targets.at(0).geometry);
    CHECK(cylinder.radius == Approx(5));
    CHECK(cylinder.height == Approx(8));
    CHECK(cylinder.opening_angle == Approx(2 * std::numbers::pi));
    CHECK(norm(subtract(cylinder.center, {1, 2, 97})) < 1e-9);

    const Scenario open = convert_with(with({{"receiver.0.is_open_geom", "true"},
                                             {"receiver.0.rec_azimuth", "30"},
                                             {"receiver.0.span_min", "-60"},
                                             {"receiver.0.span_max", "100"}},
                                            kExternal))
                              .scenario;
    const auto& arc = std::get<CylindricalTarget>(open.targets.at(0).geometry);
    CHECK(arc.opening_angle == Approx(160 * kDegree));
    CHECK(bearing(arc.normal) == Approx(50));
}

TEST_CASE("solarpilot receivers: panels of closed polygons face their rotation") {
    for (const int count : {3, 4, 7, 12}) {
        const Scenario scenario = convert_with(with({{"receiver.0.is_polygon", "true"},
                                                     {"receiver.0.n_panels", std::to_string(count)},
                                                     {"receiver.0.panel_rotation", "10"}},
                                                    kExternal))
                                      .scenario;
        const std::vector<PlanarTarget> all = panels(scenario);
        REQUIRE(all.size() == static_cast<size_t>(count));
        bool faces_rotation = false;
        for (const PlanarTarget& panel : all) {
            faces_rotation = faces_rotation || std::abs(bearing(panel.normal) - 10.0) < 1e-9;
            // The circle of the diameter goes through the edges.
            CHECK(panel.width == Approx(10.0 * std::sin(std::numbers::pi / count)));
            const double apothem = dot(subtract(panel.center, {1, 2, 97}), panel.normal);
            CHECK(apothem == Approx(5.0 * std::cos(std::numbers::pi / count)));
        }
        CHECK(faces_rotation);
    }
}

TEST_CASE("solarpilot receivers: the outer panels of an open polygon lie at the ends of its span") {
    const std::vector<PlanarTarget> all =
        panels(convert_with(with({{"receiver.0.is_polygon", "true"},
                                  {"receiver.0.is_open_geom", "true"},
                                  {"receiver.0.n_panels", "5"},
                                  {"receiver.0.panel_rotation", "180"},
                                  {"receiver.0.span_min", "-80"},
                                  {"receiver.0.span_max", "80"}},
                                 kExternal))
                   .scenario);
    REQUIRE(all.size() == 5);
    std::vector<double> bearings;
    for (const PlanarTarget& panel : all) bearings.push_back(bearing(panel.normal));
    std::ranges::sort(bearings);
    for (size_t i = 0; i < 5; ++i)
        CHECK(bearings[i] == Approx(100.0 + 40.0 * static_cast<double>(i)));
    CHECK(contains(receiver_problems(with({{"receiver.0.is_open_geom", "true"}}, kExternal)),
                   "an open arc without span_min and span_max"));
}

TEST_CASE("solarpilot receivers: a cavity by its depth, lips and width of the aperture") {
    const Scenario scenario = convert_with(kCavity).scenario;
    const std::vector<PlanarTarget> all = panels(scenario);
    REQUIRE(all.size() == 4);
    // The aperture is a quarter of the radius before the axis of the circle around the wall.
    const Vec3 aperture{1, 2, 97 + 0.5 * 8 * (0.2 - 0.1)};
    REQUIRE(scenario.receivers.at(0).aim_point);
    CHECK(norm(subtract(*scenario.receivers[0].aim_point, aperture)) < 1e-9);
    const Vec3 axis = add(aperture, {0, 0.25 * 5, 0});
    const double half = 0.5 * (std::numbers::pi + 2.0 * std::asin(-0.25)) / 4.0;
    for (const PlanarTarget& panel : all) {
        CHECK(panel.height == Approx(8));
        CHECK(panel.center[2] == Approx(97));
        CHECK(panel.width == Approx(10.0 * std::sin(half)));
        const Vec3 in_plan{panel.center[0] - axis[0], panel.center[1] - axis[1], 0};
        CHECK(norm(in_plan) == Approx(5.0 * std::cos(half)));
    }
    double shields = 0.0;
    for (const Target& target : scenario.targets)
        if (target.use == SurfaceUse::shield) shields += surface_area(target);
    const double span = 10.0 * std::sqrt(1.0 - 0.0625);
    CHECK(shields == Approx(span * 8 - 0.8 * span * 8 * 0.7));
}

TEST_CASE("solarpilot receivers: heliostats aim at the receiver that faces them") {
    Values changes = with({{"receiver.0.rec_azimuth", "0"},
                           {"receiver.1.rec_azimuth", "180"},
                           {"receiver.1.rec_name", "South/plate"},
                           {"receiver.1.rec_offset_reference", "Receiver 1"},
                           {"receiver.2.rec_name", "Off"},
                           {"receiver.2.is_enabled", "false"},
                           {"receiver.1.peak_flux", "600"}},
                          {});
    for (const auto& [key, value] : small_project())
        if (key.starts_with("receiver.0."))
            changes.emplace("receiver.1." + key.substr(std::string("receiver.0.").size()), value);
    const MadeField made = convert_with(changes);
    REQUIRE(made.scenario.receivers.size() == 2);
    CHECK(made.run.aim.heliostats.at("H1").target == "Receiver 1");
    CHECK(made.run.aim.heliostats.at("H2").target == "South_plate");
    // Offsets add up, and peak fluxes that differ are left out.
    CHECK_FALSE(made.run.aiming.flux_limit);
    bool found = false;
    for (const Target& target : made.scenario.targets) {
        const auto& plate = std::get<PlanarTarget>(target.geometry);
        found = found || norm(subtract(plate.center, {2, 4, 94})) < 1e-9;
    }
    CHECK(found);

    // An aim point of the layout decides.
    changes["solarfield.0.layout_data"] = "0,1,1,-10.5,80,0,NULL,NULL,NULL,NULL,NULL,2,4,94";
    changes["fluxsim.0.aim_method"] = "Keep existing";
    CHECK(convert_with(changes).run.aim.heliostats.at("H1").target == "South_plate");
}

TEST_CASE("solarpilot receivers: what cannot be represented is refused by name") {
    CHECK(contains(receiver_problems({{"receiver.0.rec_type", "Falling particle"}}),
                   "receiver.0.rec_type: 'Falling particle'"));
    CHECK(contains(receiver_problems(with({{"receiver.0.rec_elevation", "5"}}, kCavity)),
                   "a cavity that leans by 5 degrees"));
    CHECK(
        contains(receiver_problems({{"receiver.0.aperture_type", "Elliptical"}}), "'Elliptical'"));
    CHECK(contains(receiver_problems({{"receiver.0.is_enabled", "false"}}),
                   "has no enabled receiver"));
    CHECK(contains(receiver_problems({{"receiver.0.rec_offset_reference", "Receiver 9"}}),
                   "'Receiver 9' is no enabled receiver"));
    CHECK(contains(receiver_problems({{"receiver.0.rec_offset_reference", "Receiver 1"}}),
                   "refer to each other in a circle"));
    CHECK(contains(receiver_problems(with({{"receiver.0.rec_cav_blip", "0.95"}}, kCavity)),
                   "lip_top_m and lip_bottom_m"));
    CHECK(contains(receiver_problems(with({{"receiver.0.is_polygon", "true"},
                                           {"receiver.0.is_open_geom", "true"},
                                           {"receiver.0.n_panels", "3"},
                                           {"receiver.0.panel_rotation", "0"},
                                           {"receiver.0.span_min", "-180"},
                                           {"receiver.0.span_max", "180"}},
                                          kExternal)),
                   "overlap"));
    // Older versions give the depth in metres.
    std::string text = project_text(with(small_project(), {}));
    Values values = small_project();
    for (const auto& [key, value] : kCavity) values[key] = value;
    text = project_text(values);
    const std::string depth = "<varname>rec_cav_cdepth</varname>\n<units>";
    text.insert(text.find(depth) + depth.size(), "m");
    CHECK(contains(
        test::message_of([&] { solarpilot::convert(solarpilot::parse_project(text, "p.spt")); }),
        "rec_cav_cdepth: the unit is 'm'"));
}
