// SPDX-License-Identifier: MIT
// Fields on terrain, and fields of several towers.
#include "scenario/files/csv.h"
#include "scenario/import/field/build_field.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/field/field_support.h"
#include "tests/scenario/temporary_folder.h"

#include <cmath>
#include <fstream>
#include <map>

using namespace helioray;
using namespace helioray::test;

namespace {

/// Ground that rises by 0.1 to the east, 20 m high at the tower.
void write_slope(const std::filesystem::path& file, double reach) {
    std::ofstream table(file);
    table << "x,y,z\n";
    for (const double x : {-reach, reach})
        for (const double y : {-reach, reach})
            table << x << ',' << y << ',' << 20.0 + 0.1 * x << '\n';
}

std::vector<std::string> on_slope(const TemporaryFolder& folder,
                                  const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"site.terrain.file=" + (folder / "slope.csv").string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// Two towers 400 m apart.
const std::vector<std::string> kTowers{
    "tower=null",
    "towers={west: {position: [-200, 0], optical_height_m: 60, height_m: 55, radius_m: 3}, "
    "east: {position: [200, 0], optical_height_m: 80, height_m: 70, section_m: [8, 6], "
    "section_azimuth_deg: 30}}",
    "layout.heliostats=null",
    "layout.max_radius_m=260"};

std::string report_of(const MadeField& made) {
    return fmt::format("{}", fmt::join(made.report, "\n"));
}

}  // namespace

TEST_CASE("sites: heliostats, tower and receiver stand on the terrain") {
    const TemporaryFolder folder;
    write_slope(folder / "slope.csv", 500.0);
    const MadeField made =
        generate_field(field(on_slope(folder, {"tower.height_m=50", "tower.radius_m=4"})), {});
    for (const Heliostat& heliostat : made.scenario.heliostats)
        CHECK(heliostat.position[2] == Approx(23.0 + 0.1 * heliostat.position[0]));
    const auto& plane = std::get<PlanarTarget>(made.scenario.targets.at(0).geometry);
    CHECK(plane.center[2] == Approx(80.0));
    const auto& body = std::get<CylinderObstacle>(made.run.obstacles.at(0).shape);
    CHECK(body.base[2] == Approx(20.0));
    CHECK(made.run.terrain.ground);
    CHECK_THAT(report_of(made), ContainsSubstring("the terrain is no part of a scenario"));
}

TEST_CASE("sites: a tower may taper") {
    const MadeField made = generate_field(
        field({"tower.height_m=50", "tower.radius_m=4", "tower.top_radius_m=2.5"}), {});
    const auto& body = std::get<ConeObstacle>(made.run.obstacles.at(0).shape);
    CHECK(body.base == Vec3{0, 0, 0});
    CHECK(body.radius == 4.0);
    CHECK(body.top_radius == 2.5);
    CHECK(body.height == 50.0);
}

TEST_CASE("sites: tables without heights take them from the terrain") {
    const TemporaryFolder folder;
    write_slope(folder / "slope.csv", 500.0);
    const auto pivots = [&](const std::string& rows) {
        std::ofstream(folder / "t.csv") << rows;
        const MadeField made = field_from_table(field(on_slope(folder), FieldUse::positions_given),
                                                read_csv(folder / "t.csv"),
                                                TableHeight::pivot,
                                                {});
        std::vector<double> heights;
        for (const Heliostat& heliostat : made.scenario.heliostats)
            heights.push_back(heliostat.position[2]);
        return heights;
    };
    CHECK(pivots("x,y\n100,50\n-100,50\n") == std::vector<double>{33.0, 13.0});
    CHECK(pivots("x,y,z\n100,50,0\n-100,50,0\n") == std::vector<double>{33.0, 13.0});
    CHECK(pivots("x,y,z\n100,50,34\n-100,50,15\n") == std::vector<double>{34.0, 15.0});
    CHECK(contains(test::message_of([&] { pivots("x,y\n100,50\n-1000,50\n"); }),
                   "outside of the terrain"));
}

TEST_CASE("sites: what lies outside of the terrain is named") {
    const TemporaryFolder folder;
    write_slope(folder / "slope.csv", 60.0);
    CHECK(contains(test::message_of([&] { generate_field(field(on_slope(folder)), {}); }),
                   "heliostats are outside of it"));
    CHECK(contains(test::message_of([&] { field(on_slope(folder, {"tower.position=[100, 0]"})); }),
                   "tower.position"));
    CHECK(contains(test::message_of([&] { field({"site.terrain.file=nowhere.csv"}); }),
                   "nowhere.csv"));
    CHECK(contains(test::message_of([&] { field({"site.terrain.origin_m=[0, 0, 0]"}); }), "file"));
}

TEST_CASE("sites: heliostats of several towers belong to the nearest one") {
    const MadeField made = generate_field(field(kTowers), {});
    REQUIRE(made.scenario.targets.size() == 2);
    CHECK(made.scenario.targets[0].name == "west");
    CHECK(std::get<PlanarTarget>(made.scenario.targets[1].geometry).center == Vec3{200, 0, 80});
    CHECK_FALSE(made.run.aim.target);
    std::map<std::string, size_t> counts;
    for (const Heliostat& heliostat : made.scenario.heliostats) {
        const std::string target = made.run.aim.heliostats.at(heliostat.name).target.value();
        ++counts[target];
        CHECK(target == (heliostat.position[0] < 0.0 ? "west" : "east"));
        const double axis = target == "west" ? -200.0 : 200.0;
        const double radius = std::hypot(heliostat.position[0] - axis, heliostat.position[1]);
        CHECK((radius > 40.0 - 1e-9 && radius < 260.0 + 1e-9));
        // Each is focused for its own tower.
        const double slant = std::hypot(radius, target == "west" ? 57.0 : 77.0);
        CHECK(heliostat.surface->facets[0].focal_length == Approx(slant).margin(0.06).epsilon(0));
    }
    CHECK(counts["west"] > 100);
    CHECK(counts["east"] > 100);
    CHECK_THAT(report_of(made), ContainsSubstring("tower west"));
    REQUIRE(made.run.obstacles.size() == 2);
    CHECK(made.run.obstacles[0].name == "west");
    const auto& box = std::get<BoxObstacle>(made.run.obstacles[1].shape);
    CHECK(box.size == Vec3{8, 6, 70});
    CHECK(box.center == Vec3{200, 0, 35});
    CHECK(box.azimuth == Approx(0.523598776));
}

TEST_CASE("sites: a number of heliostats counts for each tower") {
    std::vector<std::string> more = kTowers;
    more.emplace_back("layout.heliostats=50");
    const MadeField made = generate_field(field(more), {});
    CHECK(made.scenario.heliostats.size() == 100);
    more.back() = "layout.heliostats=5000";
    CHECK(contains(test::message_of([&] { generate_field(field(more), {}); }),
                   "wanted for each tower"));
}

TEST_CASE("sites: a table names the tower of a heliostat") {
    const TemporaryFolder folder;
    std::ofstream(folder / "t.csv")
        << "name,x,y,tower\nA,-190,90,\nB,-100,90,east\nC,150,90,west\n";
    const FieldTemplate towers = field(kTowers, FieldUse::positions_given);
    const MadeField made =
        field_from_table(towers, read_csv(folder / "t.csv"), TableHeight::pivot, {});
    const auto target = [&](const char* name) { return made.run.aim.heliostats.at(name).target; };
    CHECK(target("A") == "west");
    CHECK(target("B") == "east");
    CHECK(target("C") == "west");
    std::ofstream(folder / "t.csv") << "name,x,y,tower\nA,-190,90,north\n";
    CHECK(contains(test::message_of([&] {
                       field_from_table(towers, read_csv(folder / "t.csv"), TableHeight::pivot, {});
                   }),
                   "there is no tower 'north'"));
}

TEST_CASE("sites: towers that contradict themselves are refused") {
    const auto with = [](const std::string& towers) {
        return test::message_of([&] {
            field({"tower=null", "towers=" + towers, "layout.max_radius_m=200"});
        });
    };
    CHECK(contains(with("{a: {optical_height_m: 60, height_m: 50}}"), "towers.a.radius_m"));
    CHECK(
        contains(with("{a: {optical_height_m: 60, height_m: 50, radius_m: 3, section_m: [2, 2]}}"),
                 "round or rectangular"));
    CHECK(contains(with("{a: {optical_height_m: 60, height_m: 50, section_m: [2, -2]}}"),
                   "outside of its range"));
    CHECK(contains(with("{a: {optical_height_m: 60, section_azimuth_deg: 3}}"), "section_m"));
    CHECK(contains(
        with("{a: {optical_height_m: 60, height_m: 50, section_m: [2, 2], top_radius_m: 3}}"),
        "towers.a.radius_m"));
    CHECK(contains(with("{}"), "towers"));
    CHECK(contains(test::message_of([] { field({"towers={a: {optical_height_m: 60}}"}); }),
                   "beside towers"));
    std::vector<std::string> endless = kTowers;
    endless.back() = "layout.heliostats=50";
    CHECK(contains(test::message_of([&] { field(endless); }), "max_radius_m"));
}
