// SPDX-License-Identifier: MIT
// Layouts: distances, bounds, counts, and what the rings promise.
#include "scenario/import/field/build_field.h"
#include "scenario/import/field/layouts.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/field/field_support.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

std::vector<PlanPosition> positions(const std::vector<std::string>& more) {
    std::vector<std::string> report;
    return make_layout(field(more), report);
}

double radius(const PlanPosition& at) {
    return std::hypot(at[0], at[1]);
}

/// Smallest distance of any two, by comparing all pairs.
double closest(const std::vector<PlanPosition>& all) {
    double smallest = 1e9;
    for (size_t i = 0; i < all.size(); ++i) {
        for (size_t k = 0; k < i; ++k)
            smallest = std::min(smallest, std::hypot(all[i][0] - all[k][0], all[i][1] - all[k][1]));
    }
    return smallest;
}

/// Radii of the rings, and how many stand on each.
std::map<int64_t, int> rings(const std::vector<PlanPosition>& all) {
    std::map<int64_t, int> counts;
    for (const PlanPosition& at : all) ++counts[std::llround(radius(at) * 1e6)];
    return counts;
}

}  // namespace

TEST_CASE("layouts: no two heliostats come closer than the diagonal") {
    const double diagonal = std::hypot(6.0, 5.0);
    const std::vector<std::vector<std::string>> layouts{
        {"layout.heliostats=700"},
        {"layout.heliostats=700", "layout.radial_spacing=delsol", "tower.optical_height_m=90"},
        {"layout.heliostats=700", "layout.azimuthal_spacing=1.2", "layout.min_radius_m=15"},
        {"layout.type=cornfield", "layout.heliostats=700"},
        {"layout.type=rows", "layout.heliostats=700"},
        {"layout.heliostats=300", "layout.azimuth_from_deg=-60", "layout.azimuth_to_deg=75"},
        {"layout.heliostats=300", "heliostat.mirror_offset_m=1.5"},
    };
    for (const auto& layout : layouts) {
        INFO(layout.back());
        const auto all = positions(layout);
        CHECK(all.size() >= 300);
        const bool offset = layout.back() == "heliostat.mirror_offset_m=1.5";
        CHECK(closest(all) >= (offset ? 2.0 * std::hypot(3.0, 2.5, 1.5) : diagonal) - 1e-6);
    }
}

TEST_CASE("layouts: rings of a zone see the receiver above the ring before the last") {
    const auto all = positions({"layout.heliostats=400"});
    std::vector<double> radii;
    for (const auto& [micrometres, count] : rings(all))
        radii.push_back(1e-6 * static_cast<double>(micrometres));
    REQUIRE(radii.size() > 8);
    CHECK(radii.front() == Approx(40.0));
    const RingSizes sizes{6.0, 5.0, 57.0, std::hypot(6.0, 5.0)};
    for (size_t i = 2; i < radii.size(); ++i)
        CHECK(radii[i] >= *radius_behind(radii[i - 2], sizes) - 1e-5);
    // Within a zone it is no farther than it has to be.
    CHECK(radii[2] ==
          Approx(std::max(*radius_behind(radii[0], sizes), radii[0] + sizes.min_distance))
              .margin(1e-5)
              .epsilon(0));
}

TEST_CASE("layouts: neighbours of a ring are two widths apart, and grow up to the reset") {
    const auto all = positions({"layout.heliostats=600"});
    std::map<int64_t, std::vector<double>> azimuths;
    for (const PlanPosition& at : all)
        azimuths[std::llround(radius(at) * 1e6)].push_back(std::atan2(at[0], at[1]));
    azimuths.erase(std::prev(azimuths.end()));  // the last ring is not full
    for (auto& [micrometres, ring] : azimuths) {
        std::sort(ring.begin(), ring.end());
        const double step = ring[1] - ring[0];
        for (size_t i = 1; i < ring.size(); ++i)
            CHECK(ring[i] - ring[i - 1] == Approx(step).epsilon(1e-6));
        // A whole number of slots may widen them by one slot's share.
        const double distance =
            2.0 * 1e-6 * static_cast<double>(micrometres) * std::sin(0.5 * step);
        const double share = 1.0 + 1.1 / static_cast<double>(ring.size());
        CHECK(distance >= 12.0 - 1e-6);
        CHECK(distance <= 12.0 * 1.33 * share);
        CHECK(static_cast<double>(ring.size()) * step ==
              Approx(2.0 * std::numbers::pi).epsilon(1e-6));
    }
}

TEST_CASE("layouts: bounds and counts hold") {
    const auto sector = positions(
        {"layout.heliostats=150", "layout.azimuth_from_deg=100", "layout.azimuth_to_deg=200"});
    CHECK(sector.size() == 150);
    for (const PlanPosition& at : sector) {
        double azimuth = std::atan2(at[0], at[1]) * 180.0 / std::numbers::pi;
        if (azimuth < 0) azimuth += 360.0;
        CHECK(azimuth >= 100.0 - 1e-6);
        CHECK(azimuth <= 200.0 + 1e-6);
    }
    const auto grid = positions({"layout.type=rows",
                                 "layout.heliostats=null",
                                 "layout.max_radius_m=100",
                                 "layout.spacing_x_m=10",
                                 "layout.spacing_y_m=20"});
    size_t expected = 0;
    for (int i = -5; i <= 5; ++i) {
        for (int k = -10; k <= 10; ++k) {
            const double r = std::hypot(10.0 * k, 20.0 * i);
            expected += r >= 40.0 && r <= 100.0;
        }
    }
    CHECK(grid.size() == expected);
    // Cornfield: every other row is shifted by half.
    const auto field_of_corn = positions({"layout.type=cornfield",
                                          "layout.heliostats=null",
                                          "layout.max_radius_m=100",
                                          "layout.spacing_x_m=10",
                                          "layout.spacing_y_m=20"});
    for (const PlanPosition& at : field_of_corn) {
        const double shift = std::llround(at[1] / 20.0) % 2 == 0 ? 0.0 : 5.0;
        CHECK(std::abs(std::remainder(at[0] - shift, 10.0)) < 1e-9);
    }
    // Several times as many as any plant has.
    for (const char* type : {"layout.type=rows", "layout.type=cornfield"}) {
        CHECK(positions({type,
                         "layout.heliostats=1000000",
                         "layout.spacing_x_m=10",
                         "layout.spacing_y_m=20"})
                  .size() == 1'000'000);
    }
    CHECK(contains(test::message_of([] {
                       positions({"layout.heliostats=500", "layout.max_radius_m=60"});
                   }),
                   "of 500 heliostats fit"));
    CHECK(contains(test::message_of([] { positions({"tower.optical_height_m=3"}); }),
                   "is not above the pivots"));
}

TEST_CASE("layouts: a spacing that lets heliostats collide is refused by name") {
    const std::string text = test::message_of([] {
        generate_field(field({"layout.type=rows", "layout.spacing_x_m=7", "layout.spacing_y_m=20"}),
                       {});
    });
    CHECK(contains(text, "stand 7.000 m apart, closer than 7.810 m"));
    CHECK(contains(text, "more pairs stand too close"));
    // Users may state a smaller distance.
    CHECK(test::message_of([] {
              generate_field(field({"layout.type=rows",
                                    "layout.spacing_x_m=7",
                                    "layout.spacing_y_m=20",
                                    "layout.min_distance_m=6.5"}),
                             {});
          }) == "");
}

TEST_CASE("collisions: pairs are those of comparing all with all") {
    std::vector<Vec3> all;
    uint64_t state = 12345;
    const auto next = [&] {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(state >> 40) / static_cast<double>(1 << 24) * 40.0 - 20.0;
    };
    for (int i = 0; i < 300; ++i) all.push_back({next(), next(), 0.1 * next()});
    size_t expected = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        for (size_t k = 0; k < i; ++k)
            expected +=
                std::hypot(all[i][0] - all[k][0], all[i][1] - all[k][1], all[i][2] - all[k][2]) <
                1.7;
    }
    REQUIRE(expected > 20);
    const auto pairs = too_close(all, 1.7);
    CHECK(pairs.size() == expected);
    for (const TooClose& pair : pairs) CHECK((pair.first < pair.second && pair.distance < 1.7));
    CHECK(too_close(all, 0.0).empty());
}

TEST_CASE("generated field: receiver, names, pivots and mirrors") {
    const MadeField made = generate_field(field({"tower.position=[10, -20]",
                                                 "receiver.azimuth_deg=90",
                                                 "receiver.tilt_deg=30",
                                                 "receiver.offset_m=2",
                                                 "tower.height_m=50",
                                                 "tower.radius_m=2"}),
                                          {});
    const Scenario& scenario = made.scenario;
    REQUIRE(scenario.heliostats.size() == 200);
    const auto& plane = std::get<PlanarTarget>(scenario.targets.at(0).geometry);
    CHECK(plane.center[0] == Approx(12.0));
    CHECK(plane.center[1] == Approx(-20.0));
    CHECK(plane.center[2] == Approx(60.0));
    CHECK(plane.normal[0] == Approx(std::sqrt(0.75)));
    CHECK(plane.normal[2] == Approx(-0.5));
    CHECK(scenario.heliostats.front().name == "H001");
    double area = 0.0;
    for (const Heliostat& heliostat : scenario.heliostats) {
        CHECK(heliostat.position[2] == 3.0);
        CHECK(std::hypot(heliostat.position[0] - 10.0, heliostat.position[1] + 20.0) >=
              40.0 - 1e-9);
        // The focal length is the slant range, up to half a step of 0.1 m.
        const double slant =
            std::hypot(heliostat.position[0] - 12.0, heliostat.position[1] + 20.0, 57.0);
        const Facet& facet = heliostat.surface->facets.at(0);
        CHECK(facet.focal_length == Approx(slant).margin(0.0501).epsilon(0));
        area += 4.0 * std::hypot(facet.canting_e[0], facet.canting_e[1]) *
                std::hypot(facet.canting_n[0], facet.canting_n[1]);
    }
    CHECK(area == Approx(200.0 * 30.0));
    const auto& body = std::get<CylinderObstacle>(made.run.obstacles.at(0).shape);
    CHECK(body.base == Vec3{10, -20, 0});
    CHECK(body.height == 50.0);
}

TEST_CASE("a round receiver faces where its azimuth and tilt say") {
    const MadeField made = generate_field(field({"receiver={type: disc, radius_m: 3, azimuth_deg: "
                                                 "90, tilt_deg: 30, offset_m: 2}"}),
                                          {});
    const Target& target = made.scenario.targets.at(0);
    const auto& disc = std::get<DiscTarget>(target.geometry);
    CHECK(disc.radius == 3.0);
    CHECK(disc.center[0] == Approx(2.0));
    CHECK(disc.center[1] == Approx(0.0).margin(1e-12));
    CHECK(disc.center[2] == 60.0);
    CHECK(disc.normal[0] == Approx(std::sqrt(0.75)));
    CHECK(disc.normal[1] == Approx(0.0).margin(1e-12));
    CHECK(disc.normal[2] == Approx(-0.5));
    CHECK(default_aim_point(target, {0, 50, 0}) == disc.center);
}

TEST_CASE("a receiver that lies flat keeps its azimuth") {
    const auto axes = [](double azimuth, double tilt) {
        const MadeField made =
            generate_field(field({fmt::format("receiver.azimuth_deg={}", azimuth),
                                  fmt::format("receiver.tilt_deg={}", tilt)}),
                           {});
        return flat_axes(std::get<PlanarTarget>(made.scenario.targets.at(0).geometry).normal);
    };
    for (const double side : {-1.0, 1.0}) {
        for (const double azimuth : {0.0, 30.0, 90.0, 180.0, 270.0}) {
            CAPTURE(side, azimuth);
            const std::array<Vec3, 3> flat = axes(azimuth, side * 90.0);
            const std::array<Vec3, 3> nearly = axes(azimuth, side * 89.999);
            for (const double closer : {89.9999999, 90.0 - 1e-12}) {
                const std::array<Vec3, 3> other = axes(azimuth, side * closer);
                CHECK(norm(subtract(other[0], flat[0])) < 1e-5);
            }
            for (size_t axis = 0; axis < 3; ++axis)
                CHECK(norm(subtract(flat[axis], nearly[axis])) < 5e-5);
        }
    }
    // North is up without a lean.
    CHECK(axes(0.0, 90.0)[2] == Vec3{0, 0, -1});
    CHECK(axes(180.0, -90.0)[2] == Vec3{0, 0, 1});
}

TEST_CASE("full cylinders are aimed at where they are nearest") {
    const MadeField made = generate_field(
        field({"receiver.type=cylinder", "receiver.width_m=null", "receiver.radius_m=3"}), {});
    const Target& target = made.scenario.targets.at(0);
    for (const Heliostat& heliostat : made.scenario.heliostats) {
        const Vec3 aim = default_aim_point(target, heliostat.position);
        const double out = std::hypot(heliostat.position[0], heliostat.position[1]);
        CHECK(aim[0] == Approx(3.0 * heliostat.position[0] / out).margin(1e-9));
        CHECK(aim[1] == Approx(3.0 * heliostat.position[1] / out).margin(1e-9));
        CHECK(aim[2] == 60.0);
    }
    // Sectors and cylinders lit from inside keep their middle.
    CylindricalTarget sector = std::get<CylindricalTarget>(target.geometry);
    sector.opening_angle = 6.0;
    CHECK(default_aim_point({"r", sector}, {0, -50, 0}) == default_aim_point({"r", sector}));
}

TEST_CASE("receivers of several surfaces are generated on the tower") {
    const MadeField made = generate_field(
        field({"tower.position=[10, -20]",
               "receiver={type: polygon, name: crown, panels: 24, radius_m: 4, height_m: 8, "
               "shield_height_m: 1}"}),
        {});
    const Scenario& scenario = made.scenario;
    CHECK(made.run.aim.target == "crown");
    REQUIRE(scenario.receivers.size() == 1);
    CHECK(scenario.targets.size() == 72);
    const auto& panel = std::get<PlanarTarget>(scenario.targets.at(0).geometry);
    CHECK(scenario.targets.at(0).name == "crown_panel_01");
    CHECK(std::hypot(panel.center[0] - 10.0, panel.center[1] + 20.0) ==
          Approx(4.0 * std::cos(std::numbers::pi / 24.0)));
    CHECK(panel.center[2] == Approx(60.0));
    // Mirrors are focused on the panel that faces them.
    for (const Heliostat& heliostat : scenario.heliostats) {
        const Vec3 aim =
            receiver_aim_point(scenario.targets, scenario.receivers[0], heliostat.position);
        CHECK(heliostat.surface->facets.at(0).focal_length ==
              Approx(norm(subtract(aim, heliostat.position))).margin(0.0501).epsilon(0));
    }

    const MadeField cave = generate_field(
        field({"receiver={type: cavity, panels: 6, radius_m: 4, height_m: 8, lip_top_m: 1, "
               "azimuth_deg: 90, offset_m: 3}"}),
        {});
    CHECK(norm(subtract(*cave.scenario.receivers.at(0).aim_point, {3, 0, 60})) < 1e-9);

    const MadeField caves = generate_field(
        field({"receiver={type: cavity, name: den, panels: 6, radius_m: 4, height_m: 8, "
               "azimuths_deg: [0, 120, 240], offset_m: 6}"}),
        {});
    REQUIRE(caves.scenario.receivers.size() == 3);
    CHECK(!caves.run.aim.target);
    for (const Heliostat& heliostat : caves.scenario.heliostats) {
        // The aperture that a heliostat aims at is the nearest one.
        const auto distance = [&](const Receiver& receiver) {
            return norm(subtract(*receiver.aim_point, heliostat.position));
        };
        const auto nearest = std::ranges::min_element(caves.scenario.receivers, {}, distance);
        const auto aimed =
            caves.scenario.find_receiver(*caves.run.aim.heliostats.at(heliostat.name).target);
        REQUIRE(aimed);
        // Heliostats half way between two apertures have the same distance from both.
        CHECK(distance(caves.scenario.receivers[*aimed]) < distance(*nearest) + 1e-6);
    }
    CHECK(contains(test::message_of([] {
                       field(
                           {"receiver={type: cavity, panels: 6, radius_m: 4, height_m: 8, "
                            "azimuth_deg: 10, azimuths_deg: [0, 120]}"});
                   }),
                   "stands beside azimuth_deg"));

    const MadeField drum = generate_field(
        field({"receiver={type: cylinder, radius_m: 4, height_m: 8, shield_height_m: 1}"}), {});
    CHECK(drum.scenario.targets.size() == 3);
    CHECK(contains(
        test::message_of([] { field({"receiver={type: polygon, radius_m: 4, height_m: 8}"}); }),
        "receiver.panels: is missing"));
    CHECK(contains(test::message_of([] {
                       field(
                           {"receiver={type: polygon, panels: 8, radius_m: 4, height_m: 8, "
                            "lip_top_m: 1}"});
                   }),
                   "does not belong to type polygon"));
}
