// SPDX-License-Identifier: MIT
// Apertures, outlines and obstacles as they should be.
#include "tests/scenario/config/support.h"

#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

using Corners = std::vector<std::array<double, 2>>;

Corners outline(const std::string& corners) {
    return parse(kSmallest + "targets: {receiver: {outline_m: " + corners + "}}\n")
        .targets.at("receiver")
        .outline;
}

}  // namespace

TEST_CASE("apertures are round or rectangular, with a normal of length 1") {
    const RunConfig config = parse(kSmallest + R"(targets:
  receiver:
    aperture: {center: [1, 2.5, 55], normal: [0, 3, -4], radius_m: 2}
  "flat one":
    aperture:
      center: [0, 0, 1]
      normal: [0, 0, 1e-3]
      width_m: 3.0
      height_m: 2.5
  plain: {}
)");
    REQUIRE(config.targets.size() == 3);
    const auto& round = config.targets.at("receiver").aperture;
    REQUIRE(round);
    CHECK(round->center == Vec3{1.0, 2.5, 55.0});
    CHECK(round->normal[1] == Approx(0.6));
    CHECK(round->normal[2] == Approx(-0.8));
    CHECK(round->radius == 2.0);
    CHECK(round->width == 0.0);
    const auto& rectangle = config.targets.at("flat one").aperture;
    REQUIRE(rectangle);
    CHECK(rectangle->normal == Vec3{0.0, 0.0, 1.0});
    CHECK(rectangle->radius == 0.0);
    CHECK(rectangle->width == 3.0);
    CHECK(rectangle->height == 2.5);
    CHECK_FALSE(config.targets.at("plain").aperture);
    CHECK(config.targets.at("plain").outline.empty());
    CHECK(place_of(config, "targets.receiver.aperture.radius_m") ==
          "run.yaml:9:68: targets.receiver.aperture.radius_m");
}

TEST_CASE("outlines are kept counter-clockwise") {
    const Corners square{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    CHECK(outline("[[-1, -1], [1, -1], [1, 1], [-1, 1]]") == square);
    CHECK(outline("[[-1, 1], [1, 1], [1, -1], [-1, -1]]") == square);
    // Straight corners are no harm, rounded ones neither.
    CHECK(outline("[[0.1, 0], [0.2, 0], [0.3, 0], [0.2, 1]]").size() == 4);
    CHECK(outline("[[0, 0], [0.1, 0.3], [0.2, 0.6], [0.3, 0.9], [-1, 1]]").size() == 5);
}

TEST_CASE("an outline may have 64 corners") {
    std::string corners;
    for (int i = 0; i < 64; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / 64;
        corners += std::string(i > 0 ? ", " : "") + "[" + std::to_string(std::cos(angle)) + ", " +
                   std::to_string(std::sin(angle)) + "]";
    }
    CHECK(outline("[" + corners + "]").size() == 64);
    const auto problems =
        problems_of(kSmallest + "targets: {receiver: {outline_m: [" + corners + ", [1.1, 0]]}}\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].what == "has 65 corners");
}

TEST_CASE("obstacles are cylinders, cones and boxes, named by their place without a name") {
    const RunConfig config = parse(kSmallest + R"(obstacles:
  - {name: tower, type: cylinder, base: [1, 2, 3], radius_m: 4, height_m: 60}
  - {type: cylinder, base: [0, 0, 9], radius_m: 0.5, height_m: 7, axis: [2, 0, 0]}
  - type: box
    center: [10, -20, 5]
    size_m: [20, 12, 10]
    azimuth_deg: 90
  - {name: hut, type: box, center: [0, 0, 1], size_m: [1, 2, 3]}
  - {name: shaft, type: cone, base: [1, 2, 3], radius_m: 6, top_radius_m: 4.5, height_m: 90}
  - {type: cone, base: [1, 2, 3], axis: [0, -3, 0], radius_m: 6, top_radius_m: 0, height_m: 2}
)");
    REQUIRE(config.obstacles.size() == 6);
    CHECK(config.obstacles[0].name == "tower");
    const auto& tower = std::get<CylinderObstacle>(config.obstacles[0].shape);
    CHECK(tower.base == Vec3{1.0, 2.0, 3.0});
    CHECK(tower.axis == Vec3{0.0, 0.0, 1.0});
    CHECK(tower.radius == 4.0);
    CHECK(tower.height == 60.0);
    CHECK(config.obstacles[1].name == "obstacle_2");
    CHECK(std::get<CylinderObstacle>(config.obstacles[1].shape).axis == Vec3{1.0, 0.0, 0.0});
    CHECK(config.obstacles[2].name == "obstacle_3");
    const auto& box = std::get<BoxObstacle>(config.obstacles[2].shape);
    CHECK(box.center == Vec3{10.0, -20.0, 5.0});
    CHECK(box.size == Vec3{20.0, 12.0, 10.0});
    CHECK(box.azimuth == Approx(0.5 * std::numbers::pi));
    CHECK(std::get<BoxObstacle>(config.obstacles[3].shape).azimuth == 0.0);
    const auto& shaft = std::get<ConeObstacle>(config.obstacles[4].shape);
    CHECK(shaft.base == Vec3{1.0, 2.0, 3.0});
    CHECK(shaft.axis == Vec3{0.0, 0.0, 1.0});
    CHECK(shaft.radius == 6.0);
    CHECK(shaft.top_radius == 4.5);
    CHECK(shaft.height == 90.0);
    const auto& tip = std::get<ConeObstacle>(config.obstacles[5].shape);
    CHECK(tip.axis == Vec3{0.0, -1.0, 0.0});
    CHECK(tip.top_radius == 0.0);
    CHECK(place_of(config, "obstacles[1].axis") == "run.yaml:9:67: obstacles[1].axis");
    CHECK(place_of(config, "obstacles[3].azimuth_deg") ==
          "run.yaml:14:5: obstacles[3].azimuth_deg");
}

TEST_CASE("bodies survive the text that results keep") {
    const RunConfig config =
        parse(kSmallest +
              "obstacles:\n  - {type: box, center: [0, 0, 1], size_m: [1, 2, 3]}\n"
              "targets: {receiver: {outline_m: [[0, 0], [1, 0], [0, 1]]}}\n");
    const RunConfig again = parse(config.text);
    REQUIRE(again.obstacles.size() == 1);
    CHECK(std::get<BoxObstacle>(again.obstacles[0].shape).size == Vec3{1.0, 2.0, 3.0});
    CHECK(again.targets.at("receiver").outline == config.targets.at("receiver").outline);
}

TEST_CASE("empty sections of bodies are none") {
    const RunConfig config = parse(kSmallest + "targets:\nobstacles: []\n");
    CHECK(config.targets.empty());
    CHECK(config.obstacles.empty());
    CHECK(parse(kSmallest + "obstacles:\n").obstacles.empty());
}
