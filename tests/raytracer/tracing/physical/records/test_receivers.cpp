// SPDX-License-Identifier: MIT
// Apertures, outlines and bodies in the way, against areas of plane geometry.
#include "scenario/files/units.h"
#include "tests/raytracer/tracing/physical/polygon.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr int64_t kRaysOnReceivers = 400'000;

/// A flat 4 m x 4 m mirror 100 m south of the target sends the sun's light straight to the north:
/// an upright square of 4 m on a target that faces south. The sun stands behind the target, so that
/// the mirror is nearly upright.
Scene beam() {
    Scene scene = make_scene({Mirror{{0, -100, 0}, 4.0, 4.0, FacetShape::flat}},
                             {{0, 0, 0}, {0, -1, 0}, 8.0, 8.0},
                             sun_at(0.0, 89.99),
                             CollimatedShape{},
                             NoError{});
    scene.config.tracing.rays_per_heliostat = kRaysOnReceivers;
    return scene;
}

double share_on_target(const RunResult& result) {
    const EnergyTerms& e = result.heliostats[0].energy;
    CHECK(std::abs(imbalance(e)) < 1e-12);
    return e.target_power / (e.solar_power - e.cosine_loss);
}

}  // namespace

TEST_CASE("the beam of the tests is a square of 4 m") {
    const RunResult result = run(beam());
    CHECK(share_on_target(result) == Approx(1.0).epsilon(1e-6));
    double lit = 0.0;
    for (const double flux : result.targets[0].flux) lit += flux > 0.0 ? 0.08 * 0.08 : 0.0;
    CHECK(lit == Approx(16.0).epsilon(0.05));
}

TEST_CASE("rays that miss a disc aperture are spilled") {
    Scene scene = beam();
    ApertureConfig aperture;
    aperture.center = {0, -10, 0};
    aperture.normal = {0, -1, 0};
    aperture.radius = 1.5;
    scene.config.targets["receiver"].aperture = aperture;
    const double expected = std::numbers::pi * 1.5 * 1.5 / 16.0;
    CHECK(std::abs(share_on_target(run(scene)) - expected) <
          four_errors(expected, kRaysOnReceivers));

    SECTION("off its centre a part of the disc is dark") {
        scene.config.targets["receiver"].aperture->center = {2.0, -10, 0};
        CHECK(std::abs(share_on_target(run(scene)) - 0.5 * expected) <
              four_errors(expected, kRaysOnReceivers));
    }
    SECTION("from behind nothing passes") {
        scene.config.targets["receiver"].aperture->normal = {0, 1, 0};
        CHECK(share_on_target(run(scene)) == 0.0);
    }
    SECTION("behind the target it lets nothing through") {
        scene.config.targets["receiver"].aperture->center = {0, 10, 0};
        CHECK(share_on_target(run(scene)) == 0.0);
    }
}

TEST_CASE("a disc in an even beam receives its own area, the rest is spilled") {
    Scene scene = beam();
    // Rays of a bundle share their mirror point, so small discs need more of them.
    scene.config.tracing.rays_per_heliostat = 16 * kRaysOnReceivers;
    const auto use = [&](double radius, const Vec3& center) {
        scene.scenario.targets[0].geometry = DiscTarget{center, {0, -1, 0}, radius};
        return run(scene);
    };
    for (const double radius : {0.5, 1.5}) {
        const RunResult result = use(radius, {0, 0, 0});
        const double expected = std::numbers::pi * radius * radius / 16.0;
        CHECK(std::abs(share_on_target(result) - expected) <
              four_errors(expected, kRaysOnReceivers));
        const EnergyTerms& e = result.heliostats[0].energy;
        CHECK(e.spillage_loss ==
              Approx(e.solar_power - e.cosine_loss - e.target_power).epsilon(1e-9));
        // The map covers the square around the disc.
        const TargetResult& map = result.targets[0];
        const auto [width, height] = surface_extent(map.target);
        CHECK(width == 2.0 * radius);
        CHECK(height == 2.0 * radius);
        double power = 0.0;
        for (const double flux : map.flux)
            power += flux * width * height / static_cast<double>(map.flux.size());
        CHECK(power == Approx(map.power_w).epsilon(1e-9));
        CHECK(map.flux.front() == 0.0);
        CHECK(map.flux.back() == 0.0);
    }
    // Off the beam's centre a part of the disc is dark.
    const double half = 0.5 * std::numbers::pi * 1.5 * 1.5 / 16.0;
    scene.config.aim.heliostats[mirror_name(0)].point = Vec3{0, 0, 0};
    CHECK(std::abs(share_on_target(use(1.5, {2.0, 0, 0})) - half) <
          four_errors(half, kRaysOnReceivers));
}

TEST_CASE("a rectangular aperture cuts out its rectangle, tilted ones its projection") {
    Scene scene = beam();
    ApertureConfig aperture;
    aperture.center = {0.5, -10, 0};
    aperture.normal = {0, -1, 0};
    aperture.width = 2.0;
    aperture.height = 3.0;
    scene.config.targets["receiver"].aperture = aperture;
    CHECK(std::abs(share_on_target(run(scene)) - 6.0 / 16.0) <
          four_errors(0.375, kRaysOnReceivers));
    // Turned about the vertical by 60 degrees its width halves.
    scene.config.targets["receiver"].aperture->normal = {std::sqrt(0.75), -0.5, 0};
    CHECK(std::abs(share_on_target(run(scene)) - 3.0 / 16.0) <
          four_errors(0.1875, kRaysOnReceivers));
}

TEST_CASE("outside of a convex outline nothing counts") {
    Scene scene = beam();
    // Right and up for an observer who faces the front: a triangle and a pentagon.
    const std::vector<Polygon> outlines{{{-1.0, -1.5}, {2.5, 0.0}, {-1.0, 1.0}},
                                        {{-3, -1}, {0, -3}, {1, -1}, {1, 1}, {-1, 1.5}}};
    const Polygon square{{-2, -2}, {2, -2}, {2, 2}, {-2, 2}};
    for (const Polygon& outline : outlines) {
        scene.config.targets["receiver"].outline = outline;
        const RunResult result = run(scene);
        const double expected = area(intersection(square, outline)) / 16.0;
        CHECK(std::abs(share_on_target(result) - expected) <
              four_errors(expected, kRaysOnReceivers));
        // Right is where the observer has it: row 0 is up, column 0 left.
        const TargetResult& map = result.targets[0];
        const auto flux_at = [&](double right, double up) {
            const auto column = static_cast<size_t>((right / 8.0 + 0.5) * 100.0);
            const auto row = static_cast<size_t>((0.5 - up / 8.0) * 100.0);
            return map.flux[row * 100 + column];
        };
        if (outline.size() == 3) {
            CHECK(flux_at(1.5, 0.0) > 0.0);
            CHECK(flux_at(-1.5, 0.0) == 0.0);
            CHECK(flux_at(-0.9, 0.8) > 0.0);
            CHECK(flux_at(-0.9, -1.4) > 0.0);
            CHECK(flux_at(-0.9, 1.1) == 0.0);
        }
    }
}

TEST_CASE("a box in the beam blocks its silhouette") {
    Scene scene = beam();
    scene.config.obstacles = {{"box", BoxObstacle{{0.5, -50, 0}, {1.0, 20.0, 2.0}, 0.0}}};
    const EnergyTerms e = run(scene).heliostats[0].energy;
    const double incident = e.solar_power - e.cosine_loss;
    // The sun's light comes along the same way; what is shaded is not blocked.
    CHECK(std::abs(e.shading_loss / incident - 2.0 / 16.0) <
          four_errors(0.125, kRaysOnReceivers) + 1e-3);
    CHECK(e.spillage_loss == 0.0);

    SECTION("turned by 90 degrees it is 20 m wide") {
        scene.config.obstacles = {
            {"box", BoxObstacle{{0.5, -50, 0}, {1.0, 20.0, 2.0}, 90.0 * kRadiansPerDegree}}};
        const EnergyTerms wide = run(scene).heliostats[0].energy;
        CHECK(std::abs(wide.shading_loss / incident - 0.5) <
              four_errors(0.5, kRaysOnReceivers) + 1e-3);
    }
}

TEST_CASE("a tower shades the mirrors behind it, and its receiver is not in its own way") {
    // Mirror north of a cylindrical tower, sun in the south at 30 degrees: the shadow is a stripe.
    Scene scene = make_scene({Mirror{{0, 40, 0}, 12.0, 4.0, FacetShape::flat}},
                             {{0, 3.0, 50}, {0, 1, 0}, 20.0, 20.0},
                             sun_at(180.0, 60.0),
                             CollimatedShape{},
                             NoError{});
    scene.config.tracing.rays_per_heliostat = kRaysOnReceivers;
    scene.config.obstacles = {{"tower", CylinderObstacle{{0, 0, 0}, {0, 0, 1}, 3.0, 60.0}}};
    EnergyTerms e = run(scene).heliostats[0].energy;
    const double incident = e.solar_power - e.cosine_loss;
    CHECK(std::abs(e.shading_loss / incident - 0.5) < four_errors(0.5, kRaysOnReceivers));
    // The target touches the tower's surface: what arrives is not blocked by it.
    CHECK(e.blocking_loss == 0.0);
    CHECK(e.target_power / incident == Approx(0.5).epsilon(0.01));

    SECTION("a shorter tower shades less, a sloping one elsewhere") {
        scene.config.obstacles = {{"tower", CylinderObstacle{{0, 0, 0}, {0, 0, 1}, 3.0, 10.0}}};
        CHECK(run(scene).heliostats[0].energy.shading_loss == 0.0);
    }
    SECTION("a body before the target blocks") {
        scene.config.obstacles = {{"beam", BoxObstacle{{0, 20, 26}, {40.0, 1.0, 40.0}, 0.0}}};
        e = run(scene).heliostats[0].energy;
        CHECK(e.shading_loss + e.blocking_loss == Approx(incident).epsilon(1e-3));
    }
    SECTION("a body beyond the target does not") {
        scene.config.obstacles = {{"beam", BoxObstacle{{0, -60, 50}, {40.0, 1.0, 10.0}, 0.0}}};
        e = run(scene).heliostats[0].energy;
        CHECK(e.blocking_loss == 0.0);
    }
}
