// SPDX-License-Identifier: MIT
// Pictures and tables say under which circumstances a result came about.
#include "app/output/plot/maps/footprint.h"
#include "app/output/summary/run_context.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>

using namespace helioray;

TEST_CASE("The light of a run is that of its configuration") {
    RunResult result = test::sample_result();
    result.step.clear();
    result.provenance.config =
        "sun: {time: '2026-06-21T12:00:00+02:00', dni_w_m2: 850}\nscenario: gone.h5\n";
    CHECK(light_text(result) == "2026-06-21T12:00:00+02:00  ·  DNI 850 W/m²");
    result.provenance.config = "sun: {azimuth_deg: 180, elevation_deg: 45, dni_w_m2: 1000}\n";
    CHECK(light_text(result) == "DNI 1000 W/m²");
    result.provenance.temperature_c = -7.5;
    CHECK(light_text(result) == "DNI 1000 W/m²  ·  -7.5 °C");
    result.provenance.temperature_c.reset();
    result.step = "step 3 (0 to 5)";
    CHECK(light_text(result) == "step 3 (0 to 5)");
    result.step.clear();
    for (const char* unreadable : {"", "[1, 2]", "{{{"}) {
        result.provenance.config = unreadable;
        CHECK(light_text(result).empty());
    }
}

TEST_CASE("The extent of a field has distances from the aim points and sizes of mirrors") {
    RunResult result = test::sample_result();
    result.heliostats.resize(2);
    for (size_t i = 0; i < 2; ++i) {
        HeliostatResult& heliostat = result.heliostats[i];
        heliostat.orientation = {};
        heliostat.orientation[3] = i == 0 ? 12.0 : 0.0;
        heliostat.orientation[7] = i == 0 ? 0.0 : 380.0;
        heliostat.aim_point = {0.0, 0.0, 50.0};
        heliostat.mirror_outline = std::array<Vec3, 4>{
            Vec3{-1.5, -1, 0}, Vec3{1.5, -1, 0}, Vec3{1.5, 1, 0}, Vec3{-1.5, 1, 0}};
    }
    CHECK(field_extent_text(result) ==
          "2 heliostats, 12.0 to 380 m from the tower, mirrors 3.00 x 2.00 m");
    result.heliostats.resize(1);
    CHECK(field_extent_text(result) == "1 heliostat, 12.0 m from the tower, mirrors 3.00 x 2.00 m");
    result.heliostats.clear();
    CHECK(field_extent_text(result).empty());
}

TEST_CASE("Heliostats that are off are unknown without the scenario, if the run chose some") {
    RunResult result = test::sample_result();
    result.provenance.scenario_file = "gone.h5";
    result.provenance.config = "aim: {target: receiver}\n";
    CHECK(idle_text(read_surroundings(result)).empty());
    result.provenance.config =
        "aim: {target: receiver, active: [A]}\n"
        "obstacles: [{name: tower, type: cylinder, base: [0, 0, 0], radius_m: 2, height_m: 30}]\n";
    const Surroundings found = read_surroundings(result);
    CHECK_THAT(idle_text(found), ContainsSubstring("gone.h5 is not there any more"));
    REQUIRE(found.obstacles.size() == 1);
    CHECK(found.obstacles[0].name == "tower");

    Surroundings many;
    for (const char* name : {"A", "B", "C", "D", "E", "F", "G"}) many.idle.push_back({name, {}});
    CHECK(idle_text(many) == "7 heliostats off: A, B, C, D, E, F, ...");
    many.idle.resize(1);
    CHECK(idle_text(many) == "1 heliostat off: A");
}

TEST_CASE("Footprints are the outlines of bodies from above") {
    const auto area = [](const std::vector<std::array<double, 2>>& corners) {
        double twice = 0.0;
        for (size_t i = 0; i < corners.size(); ++i) {
            const auto& a = corners[i];
            const auto& b = corners[(i + 1) % corners.size()];
            twice += a[0] * b[1] - a[1] * b[0];
        }
        return 0.5 * twice;
    };
    const double pi = std::numbers::pi;
    BoxObstacle box{{10, 20, 5}, {4, 2, 10}, 0.25 * pi};
    CHECK(area(footprint({"box", box})) == Approx(8.0));
    CylinderObstacle upright{{0, 0, 0}, {0, 0, 1}, 2.0, 30.0};
    CHECK(area(footprint({"tower", upright})) == Approx(pi * 4.0).epsilon(0.01));
    // A lying cylinder is a rectangle.
    CylinderObstacle lying{{0, 0, 5}, {0, 1, 0}, 2.0, 30.0};
    CHECK(area(footprint({"pipe", lying})) == Approx(4.0 * 30.0));
    // The wider end of an upright cone covers the other; a lying one is a trapezium.
    const ConeObstacle shaft{{0, 0, 0}, {0, 0, 1}, 3.0, 2.0, 30.0};
    CHECK(area(footprint({"shaft", shaft})) == Approx(pi * 9.0).epsilon(0.01));
    const ConeObstacle fallen{{0, 0, 5}, {0, 1, 0}, 3.0, 2.0, 30.0};
    CHECK(area(footprint({"fallen", fallen})) == Approx(0.5 * (6.0 + 4.0) * 30.0));
}
