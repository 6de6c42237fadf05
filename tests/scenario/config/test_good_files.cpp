// SPDX-License-Identifier: MIT
// Configurations as they should be: every key, every form, every default, resolved paths.
#include "scenario/files/units.h"
#include "tests/scenario/config/support.h"

#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

template <typename T>
T shape_of(const std::string& yaml) {
    const RunConfig config =
        parse(kSmallest + "bitmap: {}\n", {{"sun.shape=" + yaml}, {}, {}, {}, {}, {}, {}, {}});
    REQUIRE(config.sun.shape);
    REQUIRE(std::holds_alternative<T>(*config.sun.shape));
    return std::get<T>(*config.sun.shape);
}

RunConfig with(const std::string& setting) {
    Overrides overrides;
    overrides.set = {setting};
    return parse(kSmallest, overrides);
}

}  // namespace

TEST_CASE("a configuration with every section reads every value") {
    const RunConfig config = parse(R"(scenario: plant.h5
sun:
  azimuth_deg: 90.0
  elevation_deg: 30.0
  dni_w_m2: 850
  shape: {type: gaussian, sigma_mrad: 2.09}
aim:
  target: receiver
  point: [0.0, -1.5, 55.0]
  active: [AA31, "AA39"]
  heliostats:
    AA39: {target: tower, point: [-17.6, -2.7, 52.0]}
    AA31:
      motor_positions: [16963, 7.2374e4]
optics:
  reflectivity: 0.9
  slope_error_mrad: 1.5
  specularity_error: {type: pillbox, half_angle_mrad: 1.0}
  tracking_error_mrad: 0.6
  attenuation: {model: exponential, per_km: 0.11}
tracing:
  model: artist
  rays_per_heliostat: 2.5e6
  relative_error: 0.01
  seed: 18446744073709551615
  sampling: random
  shading: false
  blocking: false
artist: {surface_points_per_facet: [20, 30], rays_per_point: 12, batch_size: 7, magnitude: dni, extinction: 0.1}
bitmap: {width: 128, height: 64, filter: bilinear}
output: {file: out/flux.H5, image: flux.svg, per_heliostat: true}
device: cuda:1
distributed: {backend: gloo, timeout_s: 12.5, schedule: dynamic}
)");
    const auto& angles = std::get<SunAngles>(config.sun.position);
    CHECK(angles.azimuth == Approx(90.0 * kRadiansPerDegree));
    CHECK(angles.elevation == Approx(30.0 * kRadiansPerDegree));
    CHECK(config.sun.dni == 850.0);
    CHECK(std::get<GaussianShape>(config.sun.shape.value()).sigma == Approx(2.09e-3));

    CHECK(config.aim.target == "receiver");
    CHECK(config.aim.point == Vec3{0.0, -1.5, 55.0});
    CHECK(config.aim.active == std::vector<std::string>{"AA31", "AA39"});
    REQUIRE(config.aim.heliostats.size() == 2);
    CHECK(config.aim.heliostats.at("AA39").target == "tower");
    CHECK(config.aim.heliostats.at("AA39").point == Vec3{-17.6, -2.7, 52.0});
    CHECK_FALSE(config.aim.heliostats.at("AA39").motor_positions);
    CHECK_FALSE(config.aim.heliostats.at("AA31").target);
    const std::array<double, 2> positions{16963.0, 72374.0};
    CHECK(config.aim.heliostats.at("AA31").motor_positions == positions);

    CHECK(config.optics.reflectivity == 0.9);
    CHECK(std::get<GaussianShape>(config.optics.slope_error).sigma == Approx(1.5e-3));
    CHECK(std::get<PillboxShape>(config.optics.specularity_error).half_angle == Approx(1e-3));
    CHECK(config.optics.tracking_error == Approx(0.6e-3));
    CHECK(config.optics.attenuation.model == AttenuationConfig::Model::exponential);
    CHECK(config.optics.attenuation.per_km == 0.11);

    CHECK(config.tracing.model == Model::artist);
    CHECK(config.tracing.rays_per_heliostat == 2'500'000);
    CHECK(config.tracing.relative_error == 0.01);
    CHECK(config.tracing.seed == 18446744073709551615ull);
    CHECK(config.tracing.sampling == Sampling::random);
    CHECK_FALSE(config.tracing.shading);
    CHECK_FALSE(config.tracing.blocking);

    const std::array<int64_t, 2> points{20, 30};
    CHECK(config.artist.surface_points_per_facet == points);
    CHECK(config.artist.rays_per_point == 12);
    CHECK(config.artist.batch_size == 7);
    CHECK(config.artist.magnitude == ArtistConfig::Magnitude::dni);
    CHECK(config.artist.extinction == 0.1);

    CHECK(config.bitmap.width == 128);
    CHECK(config.bitmap.height == 64);
    CHECK(config.bitmap.filter == Filter::bilinear);
    CHECK(config.output.file == std::filesystem::path("out/flux.H5"));
    CHECK(config.output.image == std::filesystem::path("flux.svg"));
    CHECK(config.output.per_heliostat);
    CHECK(config.device.kind == DeviceConfig::Kind::cuda);
    CHECK(config.device.indices == std::vector<int>{1});
    CHECK(config.distributed.backend == Backend::gloo);
    CHECK(config.distributed.timeout_s == 12.5);
    CHECK(config.distributed.schedule == Schedule::dynamic);
}

TEST_CASE("what is not given has the documented default") {
    const RunConfig config = parse(kSmallest);
    CHECK(config.sun.dni == 1000.0);
    CHECK_FALSE(config.sun.shape);
    CHECK_FALSE(config.aim.point);
    CHECK_FALSE(config.aim.active);
    CHECK(config.aim.heliostats.empty());
    CHECK(config.optics.reflectivity == 0.935);
    CHECK(std::holds_alternative<NoError>(config.optics.slope_error));
    CHECK(std::holds_alternative<NoError>(config.optics.specularity_error));
    CHECK(config.optics.tracking_error == 0.0);
    CHECK(config.optics.attenuation.model == AttenuationConfig::Model::none);
    CHECK(config.tracing.model == Model::physical);
    CHECK(config.tracing.rays_per_heliostat == 1'000'000);
    CHECK_FALSE(config.tracing.relative_error);
    CHECK(config.tracing.seed == 42);
    CHECK(config.tracing.sampling == Sampling::sobol);
    CHECK(config.tracing.shading);
    CHECK(config.tracing.blocking);
    CHECK_FALSE(config.artist.rays_per_point);
    CHECK(config.artist.batch_size == 100);
    CHECK(config.bitmap.width == 256);
    CHECK(config.bitmap.height == 256);
    CHECK(config.bitmap.filter == Filter::box);
    CHECK_FALSE(config.output.file);
    CHECK_FALSE(config.output.image);
    CHECK_FALSE(config.output.per_heliostat);
    CHECK(config.device.kind == DeviceConfig::Kind::automatic);
    CHECK(config.distributed.backend == Backend::automatic);
    CHECK(config.distributed.timeout_s == 300.0);
    CHECK(config.distributed.schedule == Schedule::static_);
}

TEST_CASE("an empty section is a section of defaults") {
    const RunConfig config = parse(kSmallest + "tracing:\n  # seed: 7\nbitmap: {}\n");
    CHECK(config.tracing.seed == 42);
    CHECK(config.bitmap.width == 256);
}

TEST_CASE("the sun's position has three forms") {
    const std::string rest = "aim: {target: receiver}\n";
    SECTION("incident direction of any length") {
        const auto config =
            parse("scenario: plant.h5\nsun: {incident_direction: [0, 30, -40]}\n" + rest);
        const auto& direction = std::get<SunIncidentDirection>(config.sun.position).direction;
        CHECK(direction[0] == 0.0);
        CHECK(direction[1] == Approx(0.6));
        CHECK(direction[2] == Approx(-0.8));
    }
    SECTION("time with offset") {
        const auto config =
            parse("scenario: plant.h5\nsun: {time: 2026-06-21T12:00:00+02:00}\n" + rest);
        CHECK(std::get<SunTime>(config.sun.position).iso8601 == "2026-06-21T12:00:00+02:00");
    }
}

TEST_CASE("every sun shape is read in radians") {
    CHECK(shape_of<GaussianShape>("{type: gaussian, sigma_mrad: 0}").sigma == 0.0);
    CHECK(shape_of<PillboxShape>("{type: pillbox, half_angle_mrad: 4.65}").half_angle ==
          Approx(4.65e-3));
    CHECK(shape_of<BuieShape>("{type: buie, csr: 0.05}").csr == 0.05);
    CHECK(shape_of<BuieShape>("{type: buie, csr: 0}").csr == 0.0);
    CHECK(shape_of<BuieShape>("{type: buie, csr: 0.8}").csr == 0.8);
    CHECK(shape_of<BuieShape>("{type: buie, csr: 0.05}").calibration == BuieCalibration::exact);
    CHECK(shape_of<BuieShape>("{type: buie, csr: 0.05, calibration: tonatiuh}").calibration ==
          BuieCalibration::tonatiuh);
    CHECK(shape_of<BuieShape>("{calibration: tracer, type: buie, csr: 0.05}").calibration ==
          BuieCalibration::tracer);
    const auto sum = shape_of<GaussSumShape>("{type: gauss_sum, terms: [[1.9, 0.9], [6.0, 0.1]]}");
    CHECK(sum.sigma[1] == Approx(6e-3));
    CHECK(sum.share == std::vector<double>{0.9, 0.1});
    shape_of<LimbDarkenedShape>("{type: limb_darkened}");
    shape_of<CollimatedShape>("{type: collimated}");
}

TEST_CASE("a table shape is read from beside the configuration") {
    const RunConfig config = parse(
        "scenario: plant.h5\nsun: {azimuth_deg: 0, elevation_deg: 9, shape: {type: table, file: "
        "sun.csv}}\naim: {target: t}\n");
    const auto& table = std::get<TableShape>(config.sun.shape.value());
    REQUIRE(table.angle.size() == 2);
    CHECK(table.angle[1] == Approx(4.65e-3));
    CHECK(table.radiance[1] == 0.5);
}

TEST_CASE("error distributions have a short and a long form") {
    CHECK(std::get<GaussianShape>(
              with("optics.slope_error={type: gaussian, sigma_mrad: 2}").optics.slope_error)
              .sigma == Approx(2e-3));
    CHECK(std::get<PillboxShape>(
              with("optics.slope_error={type: pillbox, half_angle_mrad: 3}").optics.slope_error)
              .half_angle == Approx(3e-3));
    CHECK(
        std::get<GaussianShape>(with("optics.specularity_error_mrad=0.5").optics.specularity_error)
            .sigma == Approx(0.5e-3));
    CHECK(std::holds_alternative<NoError>(
        with("optics.slope_error={type: pillbox, half_angle_mrad: 0}").optics.slope_error));
}

TEST_CASE("attenuation has a short and a long form") {
    using Kind = AttenuationConfig::Model;
    CHECK(with("optics.attenuation=mirval").optics.attenuation.model == Kind::mirval);
    CHECK(with("optics.attenuation={model: mirval}").optics.attenuation.model == Kind::mirval);
    CHECK(with("optics.attenuation=vittitoe_biggs_hazy").optics.attenuation.model ==
          Kind::vittitoe_biggs_hazy);
    CHECK(with("optics.attenuation={model: vittitoe_biggs_clear}").optics.attenuation.model ==
          Kind::vittitoe_biggs_clear);
    CHECK(with("optics.attenuation=none").optics.attenuation.model == Kind::none);
    const auto polynomial =
        with("optics.attenuation={model: polynomial, coefficients: [0.99, -0.1, 0.01]}")
            .optics.attenuation;
    CHECK(polynomial.model == Kind::polynomial);
    CHECK(polynomial.coefficients == std::array<double, 5>{0.99, -0.1, 0.01, 0.0, 0.0});
}

TEST_CASE("numbers may be written in any usual way") {
    CHECK(with("sun.dni_w_m2=+9.5e2").sun.dni == 950.0);
    CHECK(with("sun.dni_w_m2=.5").sun.dni == 0.5);
    CHECK(with("tracing.seed=1e3").tracing.seed == 1000);
    CHECK(with("tracing.seed=0").tracing.seed == 0);
    CHECK(with("bitmap.width=16384.0").bitmap.width == 16384);
}

TEST_CASE("a heliostat's own target stands in for a missing common one") {
    const RunConfig config = parse(
        "scenario: plant.h5\nsun: {azimuth_deg: 0, elevation_deg: 9}\n"
        "aim: {active: [A], heliostats: {A: {target: t}, B: {}}}\n");
    CHECK_FALSE(config.aim.target);
    CHECK(config.aim.heliostats.at("A").target == "t");
    CHECK(config.aim.heliostats.count("B") == 1);
}

TEST_CASE("anchors and aliases are understood") {
    const RunConfig config = parse(
        "scenario: plant.h5\nsun: {azimuth_deg: 0, elevation_deg: 9}\n"
        "aim: {target: t, point: &p [1, 2, 3], heliostats: {A: {point: *p}}}\n");
    CHECK(config.aim.heliostats.at("A").point == Vec3{1.0, 2.0, 3.0});
}

TEST_CASE("input paths are relative to the file, output paths to the working directory") {
    const ConfigFolder folder;
    const auto file =
        folder.write("configs/run.yaml",
                     "scenario: ../plant.h5\nsun: {azimuth_deg: 0, elevation_deg: 9}\n"
                     "aim: {target: t}\noutput: {file: flux.h5}\n");
    const RunConfig config = read_run_config(file);
    CHECK(config.file == file);
    CHECK(config.scenario == folder.path() / "plant.h5");
    CHECK(config.output.file == std::filesystem::path("flux.h5"));
}

TEST_CASE("places of keys are kept") {
    const RunConfig config =
        parse(kSmallest + "aim2: 1\n", {{"aim2=null"}, {}, {}, {}, {}, {}, {}, {}});
    CHECK(place_of(config, "sun.elevation_deg") == "run.yaml:4:18: sun.elevation_deg");
    CHECK(place_of(config, "sun.shape") == "run.yaml:2:1: sun.shape");
    CHECK(place_of(config, "tracing.shading") == "run.yaml:1:1: tracing.shading");
}

TEST_CASE("keys beside one of the command line have the place of the file") {
    Overrides overrides;
    overrides.flux_limit = "60";
    const RunConfig config = parse(kSmallest, overrides);
    CHECK(place_of(config, "aiming.strategy") == "run.yaml:1:1: aiming.strategy");
}

TEST_CASE("the position of the sun may be missing where none is required") {
    const ConfigFolder folder;
    const auto read = [&](const std::string& sun, SunPositions positions) {
        return parse_run_config("scenario: plant.h5\naim: {target: t}\n" + sun,
                                "run.yaml",
                                folder.path(),
                                {},
                                positions);
    };
    CHECK(read("sun: {azimuth_deg: 1, elevation_deg: 2}", SunPositions::optional).sun.has_position);
    CHECK(read("sun: {times: [2026-06-21T12:00Z]}", SunPositions::optional).sun.has_position);
    for (const std::string sun :
         {"", "sun: {}", "sun: {dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4}}"}) {
        const RunConfig config = read(sun, SunPositions::optional);
        CHECK_FALSE(config.sun.has_position);
        CHECK(config.sun.shape.has_value() == (sun.size() > 10));
        CHECK_THROWS_AS(read(sun, SunPositions::required), InputError);
    }
    // What is written must be right all the same.
    CHECK_THROWS_AS(read("sun: {azimuth_deg: 1}", SunPositions::optional), InputError);
    CHECK_THROWS_AS(read("sun: {elevation_deg: -1, azimuth_deg: 1}", SunPositions::optional),
                    InputError);
}
