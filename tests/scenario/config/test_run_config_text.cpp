// SPDX-License-Identifier: MIT
// Run configurations that importers write are read back with the same values.
#include "scenario/config/reader.h"
#include "scenario/config/write_run_config.h"
#include "tests/scenario/config/support.h"
#include "tests/scenario/sun/shapes.h"

using namespace helioray;
using helioray::test::ConfigFolder;

TEST_CASE("a written run configuration says the same when it is read") {
    const ConfigFolder folder;
    RunConfig config;
    config.scenario = "plant.h5";
    config.sun.position = SunIncidentDirection{{0.6, 0.0, -0.8}};
    config.sun.dni = 850.5;
    config.sun.shape = PillboxShape{4.65e-3};
    config.aim.target = "receiver 1";
    config.aim.active = std::vector<std::string>{"H1", "true", "a \"b\" \\c"};
    config.aim.heliostats["H1"].motor_positions = std::array<double, 2>{1.0 / 3.0, 2e-17};
    config.aim.heliostats["12"].point = Vec3{0.1, -1e-9, 1e5};
    config.aim.heliostats["12"].target = "null";
    config.optics.reflectivity = 0.875425;
    config.optics.slope_error = GaussianShape{2.16375e-3};
    config.optics.specularity_error = PillboxShape{0.282843e-3};
    config.obstacles.push_back({"tower", CylinderObstacle{{1, 2, 0}, {0, 0, 1}, 2.5, 50}});
    config.obstacles.push_back({"shaft", ConeObstacle{{1, 2, 0}, {0, 0, 1}, 6.5, 4.25, 90}});
    config.obstacles.push_back({"hall", BoxObstacle{{1, 2, 3}, {4, 5, 6}, 0.5}});
    config.tracing.rays_per_heliostat = 12345;
    config.output.file = "flux.h5";
    const std::string text = run_config_text(config, "first line\nsecond line");
    INFO(text);
    CHECK(text.starts_with("# first line\n# second line\nscenario: plant.h5\n"));
    const RunConfig read = parse_run_config(text, "run.yaml", folder.path());
    CHECK(std::get<SunIncidentDirection>(read.sun.position).direction[0] ==
          Approx(0.6).epsilon(1e-15));
    CHECK(read.sun.dni == 850.5);
    CHECK(std::get<PillboxShape>(*read.sun.shape).half_angle == Approx(4.65e-3).epsilon(1e-12));
    CHECK(read.aim.target == "receiver 1");
    CHECK(read.aim.active == config.aim.active);
    REQUIRE(read.aim.heliostats.size() == 2);
    CHECK(read.aim.heliostats.at("H1").motor_positions ==
          config.aim.heliostats["H1"].motor_positions);
    CHECK(read.aim.heliostats.at("12").point == config.aim.heliostats["12"].point);
    CHECK(read.aim.heliostats.at("12").target == "null");
    CHECK(read.optics.reflectivity == 0.875425);
    CHECK(std::get<GaussianShape>(read.optics.slope_error).sigma ==
          Approx(2.16375e-3).epsilon(1e-12));
    CHECK(std::get<PillboxShape>(read.optics.specularity_error).half_angle ==
          Approx(0.282843e-3).epsilon(1e-12));
    REQUIRE(read.obstacles.size() == 3);
    CHECK(std::get<CylinderObstacle>(read.obstacles[0].shape).radius == 2.5);
    const auto& cone = std::get<ConeObstacle>(read.obstacles[1].shape);
    CHECK(cone.base == Vec3{1, 2, 0});
    CHECK(cone.axis == Vec3{0, 0, 1});
    CHECK(cone.radius == 6.5);
    CHECK(cone.top_radius == 4.25);
    CHECK(cone.height == 90.0);
    CHECK(std::get<BoxObstacle>(read.obstacles[2].shape).azimuth == Approx(0.5).epsilon(1e-11));
    CHECK(read.tracing.rays_per_heliostat == 12345);
}

TEST_CASE("a written run configuration keeps every sun shape that needs no file") {
    const ConfigFolder folder;
    for (const SunShape& shape : test::every_sun_shape()) {
        RunConfig config;
        config.scenario = "plant.h5";
        config.sun.position = SunAngles{3.0, 0.5};
        config.sun.shape = shape;
        config.aim.target = "receiver";
        const std::string text = run_config_text(config, "");
        INFO(text);
        config.sun.shape = parse_run_config(text, "run.yaml", folder.path()).sun.shape;
        REQUIRE(config.sun.shape);
        CHECK(config.sun.shape->index() == shape.index());
        CHECK(run_config_text(config, "") == text);
    }
}
