// SPDX-License-Identifier: MIT
// Hills and towers that shade and block mirrors, and facets that obstruct each other, against
// closed forms.
#include "scenario/files/units.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr int64_t kRays = 400'000;

/// Flat ground at height 0 with a narrow ridge from west to east.
std::shared_ptr<const Terrain> ridge(double north, double height) {
    ValueGrid grid;
    grid.x = {-3000.0, 3000.0};
    grid.y = {-3000.0, north - 0.01, north, north + 0.01, 3000.0};
    grid.values = {0, 0, 0, 0, height, height, 0, 0, 0, 0};
    return std::make_shared<const Terrain>(std::move(grid));
}

/// A flat mirror of 4 m x 3 m whose pivot is 5 m above the ground, below a large target in the
/// south.
Scene one_mirror(double elevation_deg, const SunShape& sun) {
    Scene scene = make_scene({{{0, 0, 5}, 4.0, 3.0, FacetShape::flat}},
                             {{0, -60, 45}, {0, 1, 0}, 60.0, 60.0},
                             sun_at(180.0, 90.0 - elevation_deg),
                             sun,
                             NoError{});
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.tracing.rays_per_heliostat = kRays;
    return scene;
}

/// Returns the fraction of a mirror of height 3 m whose points see the direction d below the ridge.
double hidden_share(const HeliostatResult& mirror, const Vec3& d, double distance, double height) {
    // A point y along the mirror sees the ridge above the direction while
    // z + (distance + north) tan < height; the direction leads south.
    const double tangent = d[2] / -d[1];
    const auto& m = mirror.orientation;
    const double slope = m[9] + m[5] * tangent;
    const double first = height - m[11] - (distance + m[7]) * tangent;
    return std::clamp((first / slope + 1.5) / 3.0, 0.0, 1.0);
}

/// A mirror of two facets side by side, the eastern one of which stands `step` higher.
Scene stepped_mirror(double step, double azimuth_deg, double zenith_deg) {
    Scene scene = make_scene({{{0, 0, 0}, 4.0, 3.0, FacetShape::flat}},
                             {{0, -60, 30}, {0, 1, 0}, 40.0, 40.0},
                             sun_at(azimuth_deg, zenith_deg),
                             CollimatedShape{},
                             NoError{});
    Surface surface;
    for (const double side : {-1.0, 1.0}) {
        Facet facet;
        facet.name = side < 0.0 ? "facet_1" : "facet_2";
        facet.shape = FacetShape::flat;
        facet.translation = {side, 0.0, side > 0.0 ? step : 0.0};
        facet.canting_e = {1, 0, 0};
        facet.canting_n = {0, 1.5, 0};
        surface.facets.push_back(facet);
    }
    scene.scenario.heliostats[0].surface = std::make_shared<const Surface>(surface);
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.tracing.rays_per_heliostat = kRays;
    return scene;
}

/// Returns the direction v in the frame of the mirror.
Vec3 in_mirror(const HeliostatResult& mirror, const Vec3& v) {
    const auto& m = mirror.orientation;
    return {m[0] * v[0] + m[4] * v[1] + m[8] * v[2],
            m[1] * v[0] + m[5] * v[1] + m[9] * v[2],
            m[2] * v[0] + m[6] * v[1] + m[10] * v[2]};
}

/// Returns the fraction of the mirror that a step hides from the direction v in its frame: a strip
/// of the width d tan(a) beside the step, a the angle of incidence across it.
double strip_share(double step, const Vec3& v) {
    if (v[0] <= 0.0) return 0.0;
    return step * v[0] / v[2] * (3.0 - step * std::abs(v[1]) / v[2]) / 12.0;
}

}  // namespace

TEST_CASE("a ridge shades the mirror below the elevation atan(h / d)") {
    constexpr double kDistance = 500.0, kAbove = 60.0;
    const double limit = std::atan2(kAbove, kDistance) / kRadiansPerDegree;
    for (const double off : {-1.0, 1.0}) {
        Scene scene = one_mirror(limit + off, CollimatedShape{});
        scene.config.terrain.ground = ridge(-kDistance, 5.0 + kAbove);
        const EnergyTerms e = run(scene).heliostats[0].energy;
        CHECK(e.shading_loss == (off < 0.0 ? Approx(e.solar_power - e.cosine_loss) : Approx(0.0)));
        CHECK(std::abs(imbalance(e)) < 1e-12);
    }
}

TEST_CASE("the shadow of a ridge crosses the mirror at the exact height") {
    constexpr double kDistance = 300.0, kElevation = 20.0;
    const double level = 5.0 + kDistance * std::tan(kElevation * kRadiansPerDegree);
    for (const double height : {level - 0.9, level, level + 0.5}) {
        Scene scene = one_mirror(kElevation, CollimatedShape{});
        scene.config.terrain.ground = ridge(-kDistance, height);
        const RunResult result = run(scene);
        const HeliostatResult& mirror = result.heliostats[0];
        const EnergyTerms& e = mirror.energy;
        const double share =
            hidden_share(mirror, result.provenance.sun_direction, kDistance, height);
        CAPTURE(height, share);
        CHECK((share > 0.05 && share < 0.95));
        const double lost = e.shading_loss / (e.solar_power - e.cosine_loss);
        CHECK(std::abs(lost - share) < four_errors(share, kRays));
    }
}

TEST_CASE("a ridge cuts the disc of the sun") {
    constexpr double kDistance = 2000.0, kElevation = 10.0, kRadius = 0.02;
    // The ridge appears a third of the radius above the sun's centre.
    const double angle = kElevation * kRadiansPerDegree + kRadius / 3.0;
    Scene scene = one_mirror(kElevation, PillboxShape{kRadius});
    scene.config.terrain.ground = ridge(-kDistance, 5.0 + kDistance * std::tan(angle));
    const EnergyTerms e = run(scene).heliostats[0].energy;
    const double c = 1.0 / 3.0;
    const double above = (std::acos(c) - c * std::sqrt(1.0 - c * c)) / std::numbers::pi;
    // The mirror of 3 m sees the ridge over 1.5 mrad, and the cosine changes over the disc.
    CHECK(e.shading_loss / (e.solar_power - e.cosine_loss) == Approx(1.0 - above).epsilon(0.005));
}

TEST_CASE("a hill between the mirror and its target blocks, one behind the target does not") {
    constexpr double kDistance = 30.0;
    for (const double height : {24.2, 25.0, 25.7}) {
        Scene scene = one_mirror(70.0, CollimatedShape{});
        scene.config.terrain.ground = ridge(-kDistance, height);
        const RunResult result = run(scene);
        const HeliostatResult& mirror = result.heliostats[0];
        const Vec3 normal{mirror.orientation[2], mirror.orientation[6], mirror.orientation[10]};
        const Vec3 s = result.provenance.sun_direction;
        const Vec3 r = subtract(scaled(2.0 * dot(s, normal), normal), s);
        const double share = hidden_share(mirror, r, kDistance, height);
        CAPTURE(height, share);
        CHECK((share > 0.05 && share < 0.95));
        const EnergyTerms& e = mirror.energy;
        const double lost = e.blocking_loss / (e.solar_power - e.cosine_loss);
        CHECK(std::abs(lost - share) < four_errors(share, kRays));
        CHECK(e.shading_loss == 0.0);
    }
    Scene scene = one_mirror(70.0, CollimatedShape{});
    scene.config.terrain.ground = ridge(-70.0, 60.0);
    CHECK(run(scene).heliostats[0].energy.blocking_loss == 0.0);
}

TEST_CASE("hills follow the sun, and do nothing where shading and blocking are off") {
    Scene scene = one_mirror(8.0, CollimatedShape{});
    scene.config.terrain.ground = ridge(-300.0, 100.0);
    scene.config.tracing.shading = false;
    CHECK(run(scene).heliostats[0].energy.shading_loss == 0.0);
    scene.config.tracing.shading = true;
    const auto job = make_job(scene.config, scene.scenario);
    CHECK(run(scene).heliostats[0].energy.target_power == 0.0);
    scene.config.sun.position = sun_at(0.0, 82.0);
    CHECK(run(scene).heliostats[0].energy.shading_loss == 0.0);
}

TEST_CASE("towers shade by their real bodies") {
    // The sun is in the south, so that a shadow covers the width of its body.
    Scene scene = one_mirror(30.0, CollimatedShape{});
    scene.config.obstacles = {
        {"round", CylinderObstacle{{-1.0, -40.0, 0.0}, {0, 0, 1}, 0.5, 100.0}},
        {"square", BoxObstacle{{1.2, -90.0, 50.0}, {1.0, 3.0, 100.0}, 0.0}}};
    const EnergyTerms sides = run(scene).heliostats[0].energy;
    const double lost = sides.shading_loss / (sides.solar_power - sides.cosine_loss);
    CHECK(std::abs(lost - 0.5) < four_errors(0.5, kRays));

    // The upper edge of the northern face of a tower that is wider than the mirror.
    const double height = 5.3 + 38.5 * std::tan(30.0 * kRadiansPerDegree);
    scene.config.obstacles = {
        {"wide", BoxObstacle{{0.0, -40.0, 0.5 * height}, {10.0, 3.0, height}, 0.0}}};
    const RunResult result = run(scene);
    const HeliostatResult& mirror = result.heliostats[0];
    const double share = hidden_share(mirror, result.provenance.sun_direction, 38.5, height);
    CHECK((share > 0.05 && share < 0.95));
    const EnergyTerms& e = mirror.energy;
    CHECK(std::abs(e.shading_loss / (e.solar_power - e.cosine_loss) - share) <
          four_errors(share, kRays));
}

namespace {

/// A level mirror of 30 m x 30 m at the origin; the sun is in the south at 50 degrees.
Scene level_mirror() {
    constexpr double kElevation = 50.0 * kRadiansPerDegree;
    const double level = std::cos(kElevation), rise = std::sin(kElevation);
    Scene scene = make_scene({{{0, 0, 0}, 30.0, 30.0, FacetShape::flat}},
                             {{0, 200.0 * level, 200.0 * rise}, {0, -level, -rise}, 80.0, 80.0},
                             sun_at(180.0, 40.0),
                             CollimatedShape{},
                             NoError{});
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.tracing.rays_per_heliostat = kRays;
    return scene;
}

}  // namespace

TEST_CASE("a tapered tower shades the hull of the shadows of its ends") {
    constexpr double kFoot = 4.0, kTop = 1.5, kHeight = 12.0;
    Scene scene = level_mirror();
    scene.config.obstacles = {{"shaft", ConeObstacle{{0, -6, 1}, {0, 0, 1}, kFoot, kTop, kHeight}}};
    const double shift = kHeight / std::tan(50.0 * kRadiansPerDegree);
    const double angle = std::acos((kFoot - kTop) / shift);
    const double area = shift * std::sin(angle) * (kFoot + kTop) +
                        kFoot * kFoot * (std::numbers::pi - angle) + kTop * kTop * angle;
    const EnergyTerms e = run(scene).heliostats[0].energy;
    const double share = area / 900.0;
    CHECK(std::abs(e.shading_loss / (e.solar_power - e.cosine_loss) - share) <
          four_errors(share, kRays));
    CHECK(std::abs(imbalance(e)) < 1e-12);

    // This is the same cone upside down.
    scene.config.obstacles = {
        {"shaft", ConeObstacle{{0, -6, 1 + kHeight}, {0, 0, -1}, kTop, kFoot, kHeight}}};
    const EnergyTerms turned = run(scene).heliostats[0].energy;
    CHECK(std::abs(turned.shading_loss / e.shading_loss - 1.0) < 1e-4);
}

TEST_CASE("a cone of equal radii is a cylinder, and nearly equal ones nearly") {
    Scene scene = level_mirror();
    scene.config.obstacles = {{"tower", CylinderObstacle{{0, -6, 1}, {0, 0, 1}, 3.0, 12.0}}};
    const RunResult cylinder = run(scene);
    scene.config.obstacles = {{"tower", ConeObstacle{{0, -6, 1}, {0, 0, 1}, 3.0, 3.0, 12.0}}};
    const RunResult cone = run(scene);
    CHECK(cone.targets[0].flux == cylinder.targets[0].flux);
    CHECK(cone.heliostats[0].energy.shading_loss == cylinder.heliostats[0].energy.shading_loss);
    CHECK(cylinder.heliostats[0].energy.shading_loss > 0.0);
    scene.config.obstacles = {{"tower", ConeObstacle{{0, -6, 1}, {0, 0, 1}, 3.0, 3.0001, 12.0}}};
    CHECK(run(scene).heliostats[0].energy.shading_loss ==
          Approx(cylinder.heliostats[0].energy.shading_loss).epsilon(1e-3));
}

TEST_CASE("a step between facets shades and blocks a strip of d tan(a)") {
    constexpr double kStep = 0.4;
    for (const double azimuth : {90.0, 110.0, 250.0, 270.0}) {
        const RunResult result = run(stepped_mirror(kStep, azimuth, 40.0));
        const HeliostatResult& mirror = result.heliostats[0];
        const EnergyTerms& e = mirror.energy;
        const Vec3 s = in_mirror(mirror, result.provenance.sun_direction);
        const double shaded = strip_share(kStep, s);
        const double blocked = strip_share(kStep, {-s[0], -s[1], s[2]});
        CAPTURE(azimuth, shaded, blocked);
        CHECK(std::max(shaded, blocked) > 0.01);
        const double incident = e.solar_power - e.cosine_loss;
        CHECK(std::abs(e.shading_loss / incident - shaded) < four_errors(shaded, kRays));
        CHECK(std::abs(e.blocking_loss / incident - blocked) < four_errors(blocked, kRays));
        CHECK(std::abs(imbalance(e)) < 1e-12);
    }
}

TEST_CASE("facets in one plane do not obstruct each other, whether they are tested or not") {
    Scene scene = stepped_mirror(0.0, 110.0, 40.0);
    const RunResult usual = run(scene);
    CHECK(usual.heliostats[0].energy.shading_loss == 0.0);
    scene.config.tracing.facet_occlusion = FacetOcclusion::on;
    const RunResult tested = run(scene);
    CHECK(tested.provenance.fingerprint == usual.provenance.fingerprint);
    Scene stepped = stepped_mirror(0.4, 110.0, 40.0);
    stepped.config.tracing.facet_occlusion = FacetOcclusion::off;
    CHECK(run(stepped).heliostats[0].energy.shading_loss == 0.0);
}
